import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_PACKAGES, toStewardError } from '@steward/contract'
import { createHands } from '../../packages/hosted/src/hands/create-hands.ts'
import type { Hands, HandsSession } from '../../packages/hosted/src/hands/hands.ts'
import { createProvisionSession } from '../../packages/hosted/src/hands/mounts/provision-session.ts'
import { createPackageCache } from '../../packages/hosted/src/hands/packages/package-cache.ts'
import {
  type ProvisionSession,
  provisionNothing,
} from '../../packages/hosted/src/hands/surroundings.ts'
import { median } from '../daemon/median.ts'
import { listDescendants, proportionalBytesOf } from './process-use.ts'

type Print = (line: string) => void

const SANDBOXES = 12

/** The time until a session's first command has run, and the memory of an idle sandbox. */
export const benchSandboxes = async (print: Print): Promise<void> => {
  const bare = await repeat(() => time(() => run('/bin/true')))
  print('sandboxes, beside /bin/true started the same way')
  print(`  /bin/true                 ${ms(bare)}`)
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  try {
    const egress = createProvisionSession({
      packageCache: createPackageCache({
        ...{ folder: join(home, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
      }),
      onError: (_, error) => {
        throw new Error(error.message)
      },
    })
    await benchSurrounded('no network', home, provisionNothing, bare, print)
    await benchSurrounded('a way out', home, egress, bare, print)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const benchSurrounded = async (
  name: string,
  home: string,
  surround: ProvisionSession,
  bareMs: number,
  print: Print,
): Promise<void> => {
  const hands = await openHands(home, surround)
  if (hands === undefined) return print(`  ${name.padEnd(24)}  skipped: no sandbox works here`)
  try {
    const before = proportionalBytesOf(process.pid)
    const ids = Array.from({ length: SANDBOXES }, () => `sesn_${crypto.randomUUID()}`)
    const cold: number[] = []
    const warm: number[] = []
    for (const id of ids) {
      cold.push(await time(() => call(hands, id)))
      warm.push(await time(() => call(hands, id)))
    }
    const held = (proportionalBytesOf(process.pid) - before) / SANDBOXES
    const processes = listDescendants(process.pid).length / SANDBOXES
    print(
      `  ${name.padEnd(24)}  first command ${ms(median(cold))} (${(median(cold) / bareMs).toFixed(1)}x), later ones ${ms(median(warm))} ` +
        `(${(median(warm) / bareMs).toFixed(2)}x); idle: ${(held / 2 ** 20).toFixed(1)} MB in ${processes.toFixed(0)} processes`,
    )
  } finally {
    await hands.close()
  }
}

const openHands = async (home: string, surround: ProvisionSession): Promise<Hands | undefined> => {
  try {
    return await createHands({ home, driver: 'bubblewrap', surround })
  } catch (thrown) {
    if (toStewardError(thrown).code === 'sandbox_unavailable') return undefined
    throw thrown
  }
}

const call = async (hands: Hands, id: string): Promise<void> => {
  const session: HandsSession = {
    id,
    networking: { type: 'unrestricted' },
    packages: NO_PACKAGES,
    mounts: [],
    credentials: [],
  }
  const wanted = { id: 'call', name: 'bash', input: { command: '/bin/true' }, config: {} }
  const { isError, content } = await hands.execute(session, wanted, AbortSignal.timeout(60_000))
  if (isError) throw new Error(JSON.stringify(content))
}

const run = (command: string): Promise<void> =>
  new Promise((resolve, reject) => {
    spawn(command, { stdio: 'ignore' })
      .once('error', reject)
      .once('exit', () => resolve())
  })

const time = async (act: () => Promise<void>): Promise<number> => {
  const startedMs = performance.now()
  await act()
  return performance.now() - startedMs
}

const repeat = async (measure: () => Promise<number>): Promise<number> => {
  const times: number[] = []
  for (let count = 0; count < SANDBOXES * 2; count++) times.push(await measure())
  return median(times)
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
