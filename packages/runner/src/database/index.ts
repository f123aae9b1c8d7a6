export { type Connection, type Database, type DatabaseOptions, openDatabase } from './database.ts'
