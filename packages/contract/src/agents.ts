export * from './agents-routing.ts'
