export * from './agents-compose.ts'
export * from './agents-named.ts'
export * from './agents-routing.ts'
