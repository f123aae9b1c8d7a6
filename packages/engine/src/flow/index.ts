export * from './item.ts'
export * from './loop-gate.ts'
export * from './run-items.ts'
