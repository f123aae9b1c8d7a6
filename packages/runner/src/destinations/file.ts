import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { parseJson, StewardError, unwrap } from '@steward/contract'
import { bodyOf, type Deliver, type Delivery, deliveryKey, entryOf } from '@steward/engine'
import {
  appendJsonLine,
  type Confinement,
  confinePath,
  withLock,
  writeFileAtomically,
} from '@steward/platform'
import { mayHoldKey, rememberKey } from './known-keys.ts'

/** Appends to one file; the file is complete at every moment and contains an item once. */
export const createFileDelivery =
  (folders: Confinement, locks: string): Deliver<'file'> =>
  async ({ path, format }, delivery) => {
    const file = await confinePath(path, folders)
    await mkdir(locks, { recursive: true })
    await mkdir(dirname(file), { recursive: true })
    return withLock(
      join(locks, createHash('sha256').update(file).digest('hex')),
      async () => {
        const key = deliveryKey(delivery)
        const kind = format ?? formatOf(file)
        // Also on the first try: the history that would tell of an earlier delivery may be lost.
        if (mayHold(file, key, kind) && holds(readFileSync(file, 'utf8'), key, kind)) {
          return { file, key, repeated: true }
        }
        switch (kind) {
          case 'jsonl':
            await appendJsonLine(file, entryOf(delivery, key), { durable: true })
            rememberKey(file, key)
            break
          case 'json':
            await appendToArray(file, entryOf(delivery, key))
            break
          case 'markdown':
            await appendSection(file, key, delivery)
        }
        return { file, key }
      },
      { waitMs: 30_000 },
    )
  }

type Format = 'jsonl' | 'json' | 'markdown'

const formatOf = (file: string): Format => {
  const extension = extname(file).toLowerCase()
  if (extension === '.jsonl' || extension === '.ndjson') return 'jsonl'
  return extension === '.json' ? 'json' : 'markdown'
}

const mayHold = (file: string, key: string, format: Format): boolean =>
  existsSync(file) && (format !== 'jsonl' || mayHoldKey(file, key))

/** A line truncated by a full disk or a crash is not an item, even if it contains the key. */
const holds = (text: string, key: string, format: Format): boolean => {
  if (format !== 'jsonl') return text.includes(key)
  return text.split('\n').some((line) => line.includes(key) && parseJson(line, 'a line').ok)
}

const appendSection = async (file: string, key: string, delivery: Delivery): Promise<void> => {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : `# ${delivery.flow.name}\n`
  await writeFileAtomically(
    file,
    `${before.trimEnd()}\n\n<!-- ${key} -->\n${bodyOf(delivery).trim()}\n`,
  )
}

const appendToArray = async (file: string, entry: unknown): Promise<void> => {
  const before: unknown[] = []
  if (existsSync(file)) {
    const json = unwrap(parseJson(readFileSync(file, 'utf8'), file))
    if (!Array.isArray(json)) {
      throw new StewardError('storage_failed', {
        path: file,
        reason: 'it does not contain a JSON array',
      })
    }
    before.push(...json)
  }
  await writeFileAtomically(file, `${JSON.stringify([...before, entry], null, 2)}\n`)
}
