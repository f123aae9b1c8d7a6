import { join } from 'node:path'
import { EDGE_ROOT } from '../edge-root.ts'

/** The modules that generated entries import. */
export interface RuntimeModules {
  /** `@steward/worker` */
  worker: string
  /** `@steward/edge/container` */
  container: string
  /** `@steward/contract` */
  contract: string
}

const packages = join(EDGE_ROOT, 'packages')

export const RUNTIME_MODULES: RuntimeModules = {
  worker: join(packages, 'worker', 'src', 'index.ts'),
  container: join(packages, 'edge', 'src', 'container', 'serve-action.ts'),
  contract: join(packages, 'contract', 'src', 'index.ts'),
}
