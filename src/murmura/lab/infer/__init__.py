"""Inference of rules from motion, one step ahead: the model is put into every recorded frame and predicts the next.

`transitions` reads a run, `prediction` steps the model from its frames, `estimate` finds numbers and their errors,
`models` compares models on motion they were not fitted to, `free_force` estimates a pair force without a formula.
"""
