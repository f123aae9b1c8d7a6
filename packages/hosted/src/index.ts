export type * from './hands/hands.ts'
