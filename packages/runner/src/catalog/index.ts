export type { LoadedAction } from './action-catalog.ts'
export * from './catalog.ts'
export {
  actionIssues,
  checkActionIn,
  fieldMistake,
  flowIssues,
  flowMistake,
  pipelineMistake,
} from './check-references.ts'
export { declaredSecrets } from './declared-secrets.ts'
export * from './describe-primitive.ts'
export type { CatalogEntry } from './entry.ts'
export type { LoadedFlow } from './flow-catalog.ts'
export * from './list-catalog.ts'
export type { LoadedPipeline } from './pipeline-catalog.ts'
export * from './roots.ts'
