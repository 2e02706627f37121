export function printGoals(_tables: unknown): void {}
