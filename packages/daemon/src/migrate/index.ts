export { type Migrated, migrate, type Undone, undoMigration } from './migrate.ts'
export type { MoveItem } from './move.ts'
