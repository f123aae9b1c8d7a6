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
import { SCENES } from './drive/scenes.ts'
import { createModel, type Model } from './drive/script.ts'
import type { Stage } from './drive/stage.ts'
import { DRIVEN_SUBJECTS, type DrivenSubject } from './drive/subjects.ts'
import { installPackage } from './install.ts'
import { createMachine } from './machine.ts'
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

const rows = DRIVEN_SUBJECTS.flatMap((subject) =>
  SCENES.map((scene) => ({ subject, scene, name: `${subject.assistant}: ${scene.name}` })),
).filter(
  ({ name }) =>
    values.only.length === 0 ||
    values.only.some((text) => text.split(' ').every((word) => name.includes(word))),
)
if (values.list) {
  for (const { name } of rows) console.log(name)
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

/** A machine with a repository, and with the assistant if it is installed. */
const createWorkplace = async ({ install }: DrivenSubject, isInstalled: boolean) => {
  const programs =
    install === undefined || !isInstalled ? {} : { [install[2]]: installPackage(cache, install) }
  const machine = await createMachine(join(stage, 'bin/steward.mjs'), programs)
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

/** A machine with the assistant, signed in, whose model is scripted. */
const setUp = async (subject: DrivenSubject) => {
  await installDriver(subject)
  const machine = await createWorkplace(subject, true)
  const model = createModel(join(machine.home, 'worktrees'))
  const vendor = await startVendor(
    values.verbose ? logging(machine.root, model.decide) : model.decide,
  )
  subject.signIn(machine, vendor.addressOf(subject.assistant))
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
for (const subject of new Set(rows.map((row) => row.subject))) {
  const { machine, model, vendor } = await setUp(subject)
  const createBare = (isInstalled: boolean) => createWorkplace(subject, isInstalled)
  const set: Stage = { machine, model, subject, createBare }
  try {
    await machine.startDaemon()
    const hooks = await machine.steward('hooks', 'install', '--host', subject.assistant, '--yes')
    if (hooks.code !== 0) throw new Error(hooks.stderr)
    for (const { scene, name } of rows.filter((row) => row.subject === subject)) {
      const startedMs = performance.now()
      const problem = await scene.play(set).then(() => '', reasonOf)
      const took = `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
      console.log([problem === '' ? 'pass' : 'FAIL', name, took, problem].join(' | '))
      if (problem !== '') failed.push(name)
    }
  } finally {
    await vendor.stop()
    await machine.killDaemon('SIGTERM')
    if (values.verbose && failed.length > 0) {
      machine.keep()
      console.log(`kept ${machine.root}`)
    } else await machine.close()
  }
}
rmSync(stage, { recursive: true, force: true })
console.log(`\n${rows.length - failed.length} of ${rows.length} passed`)
for (const name of failed) console.log(`failed: ${name}`)
process.exit(failed.length === 0 ? 0 : 1)
