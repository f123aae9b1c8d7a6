/**
 * `npm run try:drive [-- --only TEXT --cache FOLDER --list --verbose]`: Steward drives real
 * assistants against a scripted vendor: edits in a worktree, permissions answered through the API, an
 * interrupt, follow-ups, and kills of the daemon and of the assistant at several points. Prints a
 * table; exits 1 if the history differs from that of an undisturbed run, if a finished step is paid
 * for twice, or if a session is listed twice. Assistants and adapters are installed from npm into the
 * cache folder.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ASSISTANTS, findProgram, installAdapter } from '@steward/assistants'
import { reasonOf } from '@steward/contract'
import { stagePackage } from '../../scripts/pack/stage-package.ts'
import { nameOfPair, PAIRS, playComparison } from './drive/compared.ts'
import { SCENES } from './drive/scenes.ts'
import { createModel, type Model } from './drive/script.ts'
import type { Stage } from './drive/stage.ts'
import { DRIVEN_SUBJECTS, type DrivenSubject } from './drive/subjects.ts'
import { installPackage } from './install.ts'
import { createMachine, type Machine } from './machine.ts'
import { startVendor } from './usage/vendor.ts'

const { values } = parseArgs({
  options: {
    /** Words of a row's name, such as "claude" or "codex daemon killed"; several are possible. */
    only: { type: 'string', multiple: true, default: [] },
    cache: { type: 'string' },
    list: { type: 'boolean', default: false },
    /** Writes the calls of the model to a file, and keeps the folder of a machine that failed. */
    verbose: { type: 'boolean', default: false },
  },
})
const cache = values.cache ?? process.env.STEWARD_ASSISTANTS ?? join(tmpdir(), 'steward-assistants')

const isWanted = (name: string): boolean =>
  values.only.length === 0 ||
  values.only.some((text) => text.split(' ').every((word) => name.includes(word)))
const rows = DRIVEN_SUBJECTS.flatMap((subject) =>
  SCENES.map((scene) => ({ subject, scene, name: `${subject.assistant}: ${scene.name}` })),
).filter(({ name }) => isWanted(name))
const pairs = PAIRS.filter((pair) => isWanted(nameOfPair(pair)))
if (values.list) {
  for (const name of [...rows.map((row) => row.name), ...pairs.map(nameOfPair)]) console.log(name)
  process.exit()
}

const stage = mkdtempSync(join(tmpdir(), 'steward-packed-'))
await stagePackage(stage)

/** Installs an adapter into the cache unless it is there. */
const installDriver = async ({ assistant }: DrivenSubject): Promise<void> => {
  const spec = await ASSISTANTS[assistant].loadDrive?.()
  if (spec?.program.kind !== 'adapter') return
  const place = { home: { root: cache }, env: process.env }
  try {
    findProgram(spec, place)
  } catch {
    console.log(`installing ${spec.program.package} ${spec.program.version} into ${cache}`)
    const signal = new AbortController().signal
    await installAdapter(spec, { ...place, signal, onProgress: () => undefined })
  }
}

/** A machine with a repository, and with the assistants if they are installed. */
const createWorkplace = async (subjects: readonly DrivenSubject[], isInstalled: boolean) => {
  const programs = subjects.flatMap(({ install }) =>
    install === undefined || !isInstalled ? [] : [[install[2], installPackage(cache, install)]],
  )
  const machine = await createMachine(join(stage, 'bin/steward.mjs'), Object.fromEntries(programs))
  if (isInstalled) symlinkSync(join(cache, 'adapters'), join(machine.home, 'adapters'))
  const notifications = { thresholds: { waitingSeconds: 0 } }
  writeFileSync(
    join(machine.home, 'settings.json'),
    JSON.stringify({ voice: { provider: 'none' }, notifications }),
  )
  writeFileSync(join(machine.project, 'first.txt'), '1')
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@t']
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...who, 'commit', '-qm', 'first'],
  ])
    execFileSync('git', ['-C', machine.project, ...args])
  return machine
}

/** A machine with the assistants, signed in, whose model is scripted. */
const setUp = async (subjects: readonly DrivenSubject[]) => {
  for (const subject of subjects) await installDriver(subject)
  const machine = await createWorkplace(subjects, true)
  const model = createModel(machine.home)
  const vendor = await startVendor(
    values.verbose ? logging(machine.root, model.decide) : model.decide,
  )
  for (const { signIn, assistant } of subjects) signIn(machine, vendor.addressOf(assistant))
  return { machine, model, vendor }
}

/** Writes each call of the model and its answer to a file. */
const logging =
  (folder: string, decide: Model['decide']): Model['decide'] =>
  (question) => {
    const move = decide(question)
    appendFileSync(join(folder, 'calls.jsonl'), `${JSON.stringify({ ...question, move })}\n`)
    return move
  }

const failed: string[] = []
const play = async (name: string, work: () => Promise<void>): Promise<void> => {
  const startedMs = performance.now()
  const problem = await work().then(() => '', reasonOf)
  const took = `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
  console.log([problem === '' ? 'pass' : 'FAIL', name, took, problem].join(' | '))
  if (problem !== '') failed.push(name)
}
/** Plays on a machine with these assistants and their hooks. */
const playWith = async (
  subjects: readonly DrivenSubject[],
  work: (machine: Machine, model: Model) => Promise<void>,
): Promise<void> => {
  const { machine, model, vendor } = await setUp(subjects)
  try {
    await machine.startDaemon()
    for (const { assistant } of subjects) {
      const hooks = await machine.steward('hooks', 'install', '--host', assistant, '--yes')
      if (hooks.code !== 0) throw new Error(hooks.stderr)
    }
    await work(machine, model)
  } finally {
    await vendor.stop()
    await machine.killDaemon('SIGTERM')
    if (values.verbose && failed.length > 0) {
      machine.keep()
      console.log(`kept ${machine.root}`)
    } else await machine.close()
  }
}

for (const subject of new Set(rows.map((row) => row.subject))) {
  await playWith([subject], async (machine, model) => {
    const createBare = (isInstalled: boolean) => createWorkplace([subject], isInstalled)
    const set: Stage = { machine, model, subject, createBare }
    for (const { scene, name } of rows.filter((row) => row.subject === subject))
      await play(name, () => scene.play(set))
  })
}
for (const pair of pairs) {
  await playWith(pair, (machine, model) =>
    play(nameOfPair(pair), () => playComparison(machine, model, pair)),
  )
}
rmSync(stage, { recursive: true, force: true })
const count = rows.length + pairs.length
console.log(`\n${count - failed.length} of ${count} passed`)
for (const name of failed) console.log(`failed: ${name}`)
process.exit(failed.length === 0 ? 0 : 1)
