"""The fees of a tournament: what each person owes, payments, refunds, receipts, and a provider of payments."""
