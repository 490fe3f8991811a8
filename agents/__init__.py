"""Shipped assistants: one file each."""

if __name__ != "supermarket_env.agents":
    raise ImportError(
        "this folder is the package 'supermarket_env.agents'; install the project and import it under that name "
        "(run tools as 'python -P -m ...' so that the working directory is not on the import path)"
    )
