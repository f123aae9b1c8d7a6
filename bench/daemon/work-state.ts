import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '@steward/contract'
import { readWorkState, resolveHome, writeFileAtomically } from '@steward/platform'

const PROCESSES = 16
const CHANGES = 500
const BARE_CHANGES = 500

/**
 * Sixteen processes that change `work.json` concurrently, compared with one that replaces a file as
 * often without a lock.
 */
export const benchWorkState = async (
  root: string,
  print: (line: string) => void,
): Promise<void> => {
  const home = resolveHome({ STEWARD_HOME: root })
  mkdirSync(home.stateDir, { recursive: true })
  const bareMs = await timeBare(join(home.stateDir, 'bare.json'))
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: PROCESSES }, (_, writer) => writeFrom(root, writer)))
  const totalMs = performance.now() - startedAt
  const state = await readWorkState(home)
  if (!state.ok) throw state.error
  const kept = Object.values(state.value.sessions).filter(
    (entry) => isJsonObject(entry) && entry.iteration === CHANGES,
  )
  const eachMs = totalMs / (PROCESSES * CHANGES)
  print(
    `${PROCESSES} processes change work.json ${CHANGES} times each: ${kept.length} of ${PROCESSES} have their last change`,
  )
  print(
    `  ${eachMs.toFixed(2)} ms a change against ${bareMs.toFixed(2)} ms for a bare atomic replacement  ${(eachMs / bareMs).toFixed(2)}x`,
  )
}

const timeBare = async (path: string): Promise<number> => {
  const sessions = Object.fromEntries(
    Array.from({ length: PROCESSES }, (_, writer) => [writer, { task: 'bench', iteration: 1 }]),
  )
  const text = JSON.stringify({ sessions }, null, 2)
  const startedAt = performance.now()
  for (let change = 0; change < BARE_CHANGES; change++) await writeFileAtomically(path, text)
  return (performance.now() - startedAt) / BARE_CHANGES
}

const writeFrom = async (root: string, writer: number): Promise<void> => {
  const script = join(import.meta.dirname, 'write-state.ts')
  const child = spawn(process.execPath, [script, root, String(writer), String(CHANGES)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`a writer ended with ${code}`)
}
