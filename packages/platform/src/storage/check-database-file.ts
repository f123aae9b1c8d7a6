import { Worker } from 'node:worker_threads'
import { QUIET_THREAD } from '../threads/quiet-thread.ts'

/**
 * Checks a whole SQLite file for damage and returns what it found; undefined if there is none. It
 * reads every page, so it runs on a separate thread with a read-only connection.
 */
export const checkDatabaseFile = (path: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(PROGRAM, { eval: true, workerData: path, ...QUIET_THREAD })
    worker.unref()
    worker.once('message', (found: unknown) => {
      resolve(typeof found === 'string' ? found : undefined)
    })
    worker.once('error', reject)
    // Has no effect after a message.
    worker.once('exit', () => resolve(undefined))
  })

/**
 * Codes 11 and 26 are SQLITE_CORRUPT and SQLITE_NOTADB; a locked or missing file is not damaged.
 */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const look = () => {
    const database = new DatabaseSync(workerData, { readOnly: true, timeout: 1000 })
    try {
      const found = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
      return found === 'ok' ? null : String(found)
    } finally {
      database.close()
    }
  }
  try {
    parentPort.postMessage(look())
  } catch (thrown) {
    const code = (thrown.errcode ?? 0) & 0xff
    parentPort.postMessage(code === 11 || code === 26 ? thrown.message : null)
  }
`
