"""Pages for those who follow a championship: players, search, one's own table, replays, screens, boards elsewhere."""
