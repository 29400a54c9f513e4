print("pegboard")
