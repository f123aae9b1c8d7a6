import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureHome, eventLogPath, type Home, resolveHome } from '@steward/platform'

export const FIXTURES = {
  'harmless-hour': 'harmless',
  'credential-drift': 'drift',
  'mass-delete': 'mass',
  'injected-text': 'injected',
} as const
export type FixtureName = keyof typeof FIXTURES

/** A data home with a recorded audit log; the person's home was `/home/u`. */
export const openFixture = async (
  name: FixtureName,
): Promise<{ home: Home; session: string; remove: () => void }> => {
  const home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-observe-')) })
  await ensureHome(home)
  const log = eventLogPath(home, 'tool-activity')
  mkdirSync(dirname(log), { recursive: true })
  copyFileSync(join(import.meta.dirname, 'fixtures', `${name}.jsonl`), log)
  const remove = () => rmSync(home.root, { recursive: true, force: true })
  return { home, session: FIXTURES[name], remove }
}
