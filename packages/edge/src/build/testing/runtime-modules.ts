import { join } from 'node:path'
import type { RuntimeModules } from '../runtime-modules.ts'

const packages = join(import.meta.dirname, '..', '..', '..', '..')

/** The real modules of this clone. */
export const RUNTIME_MODULES: RuntimeModules = {
  worker: join(packages, 'worker', 'src', 'index.ts'),
  container: join(packages, 'cli', 'src', 'edge', 'container', 'index.ts'),
  contract: join(packages, 'contract', 'src', 'index.ts'),
}

export const LIBRARY = join(packages, '..', 'library')
