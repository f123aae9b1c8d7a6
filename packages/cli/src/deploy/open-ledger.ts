import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DeployLedger } from '@steward/edge'
import { appendJsonLine, type Home } from '@steward/platform'

/** `state/edge/deploys.jsonl` in the data home: every upload, one line each. */
export const openLedger = (home: Pick<Home, 'databases'>): DeployLedger => {
  const file = join(home.databases, 'edge', 'deploys.jsonl')
  const read = async (): Promise<string> => {
    try {
      return await readFile(file, 'utf8')
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return ''
      throw thrown
    }
  }
  return {
    read,
    append: async (record) => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await appendJsonLine(file, record, { durable: true })
    },
  }
}
