"""What a traced function computes with: values of a target, and records of values by name. Knows no rule."""
