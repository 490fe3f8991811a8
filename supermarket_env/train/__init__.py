"""Learning: policies trained in the game, tuned rules, imitation and logged data (extra ``rl`` where a network learns).

Importing this package imports nothing heavy; PyTorch and Stable-Baselines3 are imported where a network is trained.
"""
