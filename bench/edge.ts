import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeBareWorkers } from './edge/bare-workers.ts'
import {
  environmentOf,
  LAUNCHER,
  writeDefinitions,
  writeHistorySetting,
} from './edge/bench-home.ts'
import { benchEdgeUp } from './edge/edge-up.ts'
import { benchFactories, RECORDED } from './edge/factories.ts'

/** The overhead of our edge code compared with plain handlers, and `edge up` under load. */
export const benchEdge = async (print: (line: string) => void): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  try {
    writeDefinitions(root)
    const workers = join(root, 'workers')
    writeBareWorkers(workers)
    const build = () =>
      execFileSync(process.execPath, [LAUNCHER, 'edge', 'build', '--out', workers], {
        env: environmentOf(root),
        stdio: 'ignore',
      })
    build()
    await benchFactories(print, root, workers)
    await benchEdgeUp(print, root, workers)
    writeHistorySetting(root, 'pipelines')
    build()
    await benchFactories(print, root, workers, RECORDED)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

if (import.meta.main) await benchEdge(console.log)
