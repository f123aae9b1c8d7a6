export type { HostedDatabase } from './database/hosted-database.ts'
export { openSqlite } from './database/open-sqlite.ts'
export type * from './hands/hands.ts'
