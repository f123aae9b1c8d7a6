import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { readFreezingPages, runHostileActions } from './busy-faults.ts'
import { killEdge, killWorkerd } from './edge-faults.ts'
import { appendRows } from './soak-rows.ts'
import {
  type CommandOptions,
  countItems,
  type Fault,
  ITEMS,
  type Server,
  type World,
  writeFlow,
} from './world.ts'

const DAY_MS = 86_400_000
const PAGE_BYTES = 4096

/** Runs the flow to its end under the given conditions first, then without them. */
const runFlowThrough = async (
  world: World,
  round: number,
  disturbances: readonly CommandOptions[],
): Promise<string[]> => {
  const { flow, output } = writeFlow(world, round)
  for (const options of disturbances) {
    await world.run(['trigger', flow, '--json'], options)
    await world.run(['runs', 'resume', '--json'], options)
  }
  // A run left by a kill goes on where it was; what failed is offered again by the next ones.
  await world.run(['runs', 'resume', '--json'])
  let last = { code: null as number | null, stdout: '', stderr: '' }
  for (let attempt = 0; attempt < 8 && countItems(output).size < ITEMS; attempt++) {
    last = await world.run(['trigger', flow, '--json'])
  }
  const counts = countItems(output)
  const missing = ITEMS - counts.size
  const doubled = [...counts.values()].filter((count) => count > 1).length
  return [
    ...(missing > 0
      ? [`${missing} of ${ITEMS} items were lost: ${last.stderr.slice(0, 300)}`]
      : []),
    ...(doubled > 0 ? [`${doubled} items were delivered twice`] : []),
  ]
}

const killRunner: Fault = (world, random, round) =>
  runFlowThrough(world, round, [
    { killAfterMs: 300 + random.below(3000) },
    { killAfterMs: 300 + random.below(3000) },
  ])

const fillDisk: Fault = (world, random, round) =>
  runFlowThrough(world, round, [{ maxFileBytes: 20_000 + random.below(400_000) }])

const jumpClock: Fault = (world, random, round) =>
  runFlowThrough(world, round, [
    { clockMs: random.pick([-400 * DAY_MS, -DAY_MS, DAY_MS, 30 * DAY_MS]), killAfterMs: 2500 },
  ])

const addNotes = async (world: World, { address }: Server, round: number, until: () => boolean) => {
  for (let n = 0; !until(); n++) {
    const title = `Chaos ${round} note ${n}`
    try {
      const answer = await fetch(`${address}/api/knowledge`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${world.token()}` },
        body: JSON.stringify({ domain: 'Ideas', title, body: 'x'.repeat(500) }),
      })
      if (answer.ok) world.notes.add(title)
      else if (answer.status === 429) await new Promise((resolve) => setTimeout(resolve, 500))
    } catch {
      return
    }
  }
}

const findLostNotes = (world: World, home: string, wanted: Iterable<string>): string[] => {
  const folder = join(home, 'MEMORY/KNOWLEDGE/Ideas')
  const texts = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.md'))
        .map((name) => readFileSync(join(folder, name), 'utf8'))
    : []
  const lost = [...wanted].filter((title) => !texts.some((text) => text.includes(title)))
  return lost.length === 0 ? [] : [`${lost.length} of ${world.notes.size} notes were lost`]
}

const killDaemon: Fault = async (world, random, round) => {
  const daemon = await world.serve(['daemon', '--port', '0', '--json'])
  let isOver = false
  const load = addNotes(world, daemon, round, () => isOver)
  await new Promise((resolve) => setTimeout(resolve, 300 + random.below(2500)))
  await daemon.kill()
  isOver = true
  await load
  const again = await world.serve(['daemon', '--port', '0', '--json'])
  const health = await fetch(`${again.address}/health`)
  await again.kill()
  return [
    ...findLostNotes(world, world.home, world.notes),
    ...(health.ok ? [] : [`the daemon is not well after a kill: ${health.status}`]),
  ]
}

const key = z.object({ key: z.string() })
const agent = z.object({ id: z.string() })

const killHosted: Fault = async (world, random, round) => {
  const made = await world.run(['hosted', 'keys', 'create', '--json'])
  const secret = key.parse(JSON.parse(made.stdout)).key
  const headers = {
    'content-type': 'application/json',
    'x-api-key': secret,
    'anthropic-beta': 'managed-agents-2026-04-01',
  }
  const server = await world.serve(['hosted', 'serve', '--port', '0', '--api-only', '--json'])
  // A kill proves something only if agents were acknowledged before it.
  const enough = world.agents.size + 5
  let killed: Promise<void> | undefined
  for (let n = 0; ; n++) {
    try {
      const answer = await fetch(`${server.address}/v1/agents`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name: `chaos ${round} ${n}`, model: 'claude-sonnet-4-5' }),
      })
      if (answer.ok) world.agents.add(agent.parse(await answer.json()).id)
      else return [`the hosted server refuses an agent: ${answer.status} ${await answer.text()}`]
    } catch {
      break
    }
    if (world.agents.size >= enough) killed ??= sleep(random.below(1000)).then(server.kill)
  }
  await killed
  const again = await world.serve(['hosted', 'serve', '--port', '0', '--api-only', '--json'])
  let lost = 0
  for (const id of world.agents) {
    const answer = await fetch(`${again.address}/v1/agents/${id}`, { headers })
    if (!answer.ok) lost++
    await answer.body?.cancel()
  }
  await again.kill()
  return lost === 0 ? [] : [`${lost} of ${world.agents.size} hosted agents were lost`]
}

const outcome = z.object({ file: z.string() })

/** A backup under load, restored elsewhere, has everything that was acknowledged before it began. */
const backUpUnderLoad: Fault = async (world, random, round) => {
  const daemon = await world.serve(['daemon', '--port', '0', '--json'])
  let isOver = false
  const load = addNotes(world, daemon, round, () => isOver)
  await new Promise((resolve) => setTimeout(resolve, random.below(1000)))
  const before = new Set(world.notes)
  const made = await world.run(['backup', join(world.folder, `load-${round}.tar.gz`), '--json'])
  isOver = true
  await load
  await daemon.kill()
  if (made.code !== 0) return [`the backup failed: ${made.stderr}`]
  const home = join(world.folder, `restored-${round}`)
  const { file } = outcome.parse(JSON.parse(made.stdout))
  const restored = await world.run(['restore', file], { home })
  if (restored.code !== 0) return [`the restore failed: ${restored.stderr}`]
  return [
    ...findLostNotes(world, home, before),
    ...compareTables(world.home, home, 'the restored backup'),
  ]
}

/** Damage to the history is found, repaired to a sound database, and undone by a restore. */
const corrupt: Fault = async (world, random, round) => {
  const path = join(world.home, 'state/history.sqlite')
  if (!existsSync(path)) return []
  const made = await world.run(['backup', join(world.folder, `sound-${round}.tar.gz`), '--json'])
  if (made.code !== 0) return [`the backup failed: ${made.stderr}`]
  const { file } = outcome.parse(JSON.parse(made.stdout))
  const bytes = readFileSync(path)
  const before = contentOf(path)
  const pages = Math.floor(bytes.length / PAGE_BYTES)
  for (let n = 0; n <= random.below(3); n++) {
    const page = 1 + random.below(Math.max(1, pages - 1))
    const value = random.pick([0x00, 0xff, 0x5a])
    bytes.fill(value, page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
  }
  writeFileSync(path, bytes)
  const violations: string[] = []
  const repaired = await world.run(['repair', '--json'])
  const checked = await world.run(['repair', '--check', '--json'])
  if (checked.code !== 0) violations.push(`repair left damage: ${repaired.stdout.slice(0, 500)}`)
  const listed = await world.run(['runs', '--json'])
  if (listed.code !== 0) violations.push(`runs cannot be listed after a repair: ${listed.stderr}`)
  const restored = await world.run(['restore', file, '--replace', '--json'])
  if (restored.code !== 0) return [...violations, `the restore failed: ${restored.stderr}`]
  if (contentOf(path) !== before) violations.push('the restored history differs from the original')
  return violations
}

/** Every row of every table, as text. */
const contentOf = (path: string): string => {
  const database = new DatabaseSync(path)
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
    return tables
      .map(({ name }) => {
        const rows = database.prepare(`SELECT * FROM "${String(name)}"`).all()
        return `${String(name)} ${rows
          .map((row) => JSON.stringify(row))
          .sort()
          .join('\n')}`
      })
      .join('\n')
  } finally {
    database.close()
  }
}

/** The databases that the load does not write to must be equal. */
const compareTables = (from: string, to: string, what: string): string[] =>
  ['history.sqlite', 'flows.sqlite', 'hosted.sqlite'].flatMap((name) => {
    const original = join(from, 'state', name)
    if (!existsSync(original)) return []
    const copy = join(to, 'state', name)
    const isEqual = existsSync(copy) && contentOf(copy) === contentOf(original)
    return isEqual ? [] : [`${name} of ${what} differs from the original`]
  })

export const FAULTS: Readonly<Record<string, Fault>> = {
  'kill the runner': killRunner,
  'kill the daemon': killDaemon,
  'kill the hosted server': killHosted,
  'kill the local edge': killEdge,
  'kill workerd': killWorkerd,
  'fill the disk': fillDisk,
  'jump the clock': jumpClock,
  'corrupt the history': corrupt,
  'back up under load': backUpUnderLoad,
  'read freezing pages': readFreezingPages,
  'run hostile actions': runHostileActions,
  'append rows': appendRows,
}
