import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMachineVoice } from './machine-voice.ts'

const open = () => {
  const homedir = mkdtempSync(join(tmpdir(), 'steward-machine-'))
  onTestFinished(() => rmSync(homedir, { recursive: true, force: true }))
  const warnings: string[] = []
  const warn = (line: string) => {
    warnings.push(line)
  }
  const make = (name: string, home = homedir) =>
    createMachineVoice({ homedir: home, fallbackFolder: join(homedir, name), log: { warn } })
  return { homedir, make, warnings }
}
const startSleeper = async () => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}
const noteOf = (homedir: string) =>
  join(homedir, '.local', 'state', 'steward', 'speech-player.json')

test('one speaks at a time, whatever the data home', () => {
  const { make } = open()
  const [one, other] = [make('one'), make('other')]
  const lock = one.take()
  expect(lock).toBeDefined()
  expect(other.take()).toBeUndefined()
  lock?.release()
  const next = other.take()
  expect(next).toBeDefined()
  next?.release()
})

test('a player that a killed daemon left behind is ended before anyone else speaks', async () => {
  const { make, homedir, warnings } = open()
  const player = await startSleeper()
  const dead = make('dead')
  dead.take()?.release()
  // Noted and never released, as after a kill during playback.
  dead.note(player.pid ?? 0)
  const exited = once(player, 'exit')
  const lock = make('next').take()
  expect(await exited).toEqual([null, 'SIGKILL'])
  expect(warnings).toEqual(['voice: killed a player that a killed daemon left running'])
  lock?.release()
  expect(existsSync(noteOf(homedir))).toBe(false)
})

test('a process that only reuses the pid is left alone', async () => {
  const { make, homedir } = open()
  const stranger = await startSleeper()
  const voice = make('x')
  voice.take()?.release()
  writeFileSync(noteOf(homedir), JSON.stringify({ pid: stranger.pid, startedAt: '1' }))
  voice.take()?.release()
  expect(stranger.exitCode).toBeNull()
  expect(stranger.signalCode).toBeNull()
  for (const rubbish of ['', '{', '[]', '{"pid":-1}', '{"pid":1,"startedAt":"1"}']) {
    writeFileSync(noteOf(homedir), rubbish)
    expect(() => voice.take()?.release()).not.toThrow()
  }
})

test('if the home directory is not writable, the lock is in the data home, which is reported', () => {
  const { make, homedir, warnings } = open()
  writeFileSync(join(homedir, 'file'), '')
  const voice = make('fallback', join(homedir, 'file'))
  const lock = voice.take()
  expect(lock?.path).toBe(join(homedir, 'fallback', 'speech.lock'))
  expect(warnings[0]).toContain('cannot coordinate with other daemons on this machine')
  lock?.release()
})
