import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { fail, ok, type Result, StewardError } from '@steward/contract'
import { storageErrorOf } from '@steward/platform'

/** Ports for controlling tabs. */
export interface TabPorts {
  /** Runs a program and returns its output. */
  run: (argv: readonly string[]) => Promise<Result<string>>
  writeTty: (path: string, text: string) => Promise<Result<void>>
}

const TIMEOUT_MS = 2000
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024

const run: TabPorts['run'] = ([program = '', ...args]) =>
  new Promise((resolve) => {
    const options = {
      timeout: TIMEOUT_MS,
      maxBuffer: MOST_OUTPUT_BYTES,
      env: { ...process.env, LC_ALL: 'C' },
    }
    execFile(program, args, options, (error, stdout) => {
      if (error === null) return resolve(ok(stdout))
      const details = { service: program, reason: error.message }
      resolve(fail(new StewardError('upstream_failed', details, error)))
    })
  })

/** A stopped terminal blocks writes; O_NONBLOCK prevents us from blocking too. */
const TTY_FLAGS = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK

const writeTty: TabPorts['writeTty'] = async (path, text) => {
  try {
    const tty = await open(path, TTY_FLAGS)
    try {
      await tty.write(text)
    } finally {
      await tty.close()
    }
    return ok(undefined)
  } catch (thrown) {
    return fail(storageErrorOf(path, thrown))
  }
}

export const tabPorts: TabPorts = { run, writeTty }
