import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimeModules } from '@steward/edge'

/** What worker bundles are made of: the sources in a clone, what was packed in an installation. */
export const findRuntimeModules = (root: string): RuntimeModules => {
  const packages = join(root, 'packages')
  const packed = join(root, 'edge')
  return existsSync(packages)
    ? {
        worker: join(packages, 'worker', 'src', 'index.ts'),
        container: join(packages, 'cli', 'src', 'edge', 'container', 'index.ts'),
        contract: join(packages, 'contract', 'src', 'index.ts'),
      }
    : {
        worker: join(packed, 'worker.js'),
        container: join(packed, 'container.js'),
        contract: join(packed, 'contract.js'),
      }
}
