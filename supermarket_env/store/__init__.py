"""Stores: layouts, planogram, visibility and reach, distances, floor plans."""
