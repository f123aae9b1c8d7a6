import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../packages/hosted/src/database/testing/start-postgres.ts'
import { startHostedProcess } from './hosted/hosted-process.ts'
import { benchLoad } from './hosted/load.ts'
import { benchResume } from './hosted/resume.ts'
import { benchSandboxes } from './hosted/sandboxes.ts'
import { startStandInModel } from './hosted/stand-in-model.ts'
import { readPostgresUse, readSqliteUse } from './hosted/store-use.ts'

type Print = (line: string) => void

const STARTED = ['started'] as const
/** Servers that share a Postgres take over from each other. */
const THERE = ['there'] as const
const SIZE = { sessions: 500, streamsEach: 4 }

/** A hosted agent server under load, killed, and its sandboxes. */
export const benchHosted = async (print: Print): Promise<void> => {
  await onEngine('SQLite', undefined, print)
  const postgres = await startPostgres()
  try {
    await onEngine('Postgres', await postgres.createDatabase(), print)
  } finally {
    await postgres.stop()
  }
  await benchSandboxes(print)
}

const onEngine = async (
  name: string,
  databaseUrl: string | undefined,
  print: Print,
): Promise<void> => {
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  const model = await startStandInModel()
  try {
    const options = { home, model: model.address, ...(databaseUrl ? { databaseUrl } : {}) }
    let server = await startHostedProcess(options)
    print(`hosted agents on ${name}`)
    try {
      const readStore =
        databaseUrl === undefined
          ? readSqliteUse(join(home, 'state/hosted.sqlite'))
          : readPostgresUse(databaseUrl)
      await benchLoad(server, model, readStore, SIZE, print)
      for (const survivor of databaseUrl === undefined ? STARTED : [...STARTED, ...THERE])
        for (const sessions of [1, SIZE.sessions])
          server = await benchResume(server, options, model, { sessions, survivor }, print)
    } finally {
      await server.stop()
    }
  } finally {
    await model.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

if (import.meta.main) await benchHosted(console.log)
