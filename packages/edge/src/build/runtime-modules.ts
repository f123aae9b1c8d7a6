import { join } from 'node:path'

/** The modules that generated entries import. */
export interface RuntimeModules {
  /** `@steward/worker` */
  worker: string
  /** `@steward/edge/container` */
  container: string
  /** `@steward/contract` */
  contract: string
}

const packages = join(import.meta.dirname, '..', '..', '..')

/** The sources of this clone; the packed program builds no workers. */
export const RUNTIME_MODULES: RuntimeModules = {
  worker: join(packages, 'worker', 'src', 'index.ts'),
  container: join(packages, 'edge', 'src', 'container', 'serve-action.ts'),
  contract: join(packages, 'contract', 'src', 'index.ts'),
}
