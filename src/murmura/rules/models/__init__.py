"""Published models: Vicsek, Couzin's zones, Cucker-Smale, vision."""
