export * from './database/index.ts'
export * from './history/index.ts'
export * from './queue/index.ts'
