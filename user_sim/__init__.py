"""Simulated users: persona, mind (decision rules), wording."""

if __name__ != "supermarket_env.user_sim":
    raise ImportError(
        "this folder is the package 'supermarket_env.user_sim'; install the project and import it under that name "
        "(run tools as 'python -P -m ...' so that the working directory is not on the import path)"
    )
