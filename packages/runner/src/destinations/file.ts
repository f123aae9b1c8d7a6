import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { parseJson, StewardError, unwrap } from '@steward/contract'
import { bodyOf, type Deliver, type Delivery, deliveryKey, entryOf } from '@steward/engine'
import { appendJsonLine, withLock, writeFileAtomically } from '@steward/platform'

/** Appends to one file; the file is whole at every moment, and an item stands in it once. */
export const createFileDelivery =
  (output: string, locks: string): Deliver<'file'> =>
  async ({ path, format }, delivery) => {
    const file = resolve(output, path)
    await mkdir(locks, { recursive: true })
    await mkdir(dirname(file), { recursive: true })
    return withLock(
      join(locks, createHash('sha256').update(file).digest('hex')),
      async () => {
        const key = deliveryKey(delivery)
        const kind = format ?? formatOf(file)
        if (delivery.again && existsSync(file) && holds(readFileSync(file, 'utf8'), key, kind)) {
          return { file, key, repeated: true }
        }
        switch (kind) {
          case 'jsonl':
            await appendJsonLine(file, entryOf(delivery, key), { durable: true })
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

/** A line that a full disk or a crash cut short is not an item, even if its key is still in it. */
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
        reason: 'it holds something other than a JSON array',
      })
    }
    before.push(...json)
  }
  await writeFileAtomically(file, `${JSON.stringify([...before, entry], null, 2)}\n`)
}
