import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readAvatar } from './avatar.ts'

let root: string
let folder: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-avatar-'))
})
afterAll(() => rmSync(root, { recursive: true }))
beforeEach(() => {
  folder = mkdtempSync(join(root, 'home-'))
})

const ENDINGS = ['png', 'jpg', 'jpeg', 'webp', 'svg'] as const
const refusal = (code: string) => expect.objectContaining({ code })

const read = async (): Promise<
  { type: string; bytes: Buffer } | { refused: string } | undefined
> => {
  try {
    return await readAvatar(folder)
  } catch (thrown) {
    return { refused: Object(thrown).code }
  }
}

describe('a hostile picture', () => {
  it('is served as it is or refused, in 500 generated variations', async () => {
    const start = fc.constantFrom(
      ...['', '\x89PNG\r\n\x1a\n', '\x89PNG', '\xff\xd8\xff', 'RIFF\0\0\0\0WEBP', 'RIFF', 'GIF89a'],
      ...['<svg>', '<svg ', '<?xml version="1.0"?><svg\n', '<!DOCTYPE svg [', '<html><svg>', 'BM'],
      ...[`${' '.repeat(4090)}<svg>`, `${'<g>'.repeat(1300)}<svg>`, '<svg'.repeat(1000)],
    )
    const picture = fc.tuple(fc.constantFrom(...ENDINGS), start, fc.uint8Array({ maxLength: 500 }))
    const property = fc.asyncProperty(picture, async ([ending, head, tail]) => {
      const bytes = Buffer.concat([Buffer.from(head, 'latin1'), tail])
      const file = join(folder, `avatar.${ending}`)
      writeFileSync(file, bytes)
      const answer = await read()
      rmSync(file)
      if (answer !== undefined && 'type' in answer) {
        expect(answer.type).toBe(TYPES[ending])
        expect(answer.bytes.equals(bytes)).toBe(true)
      } else expect(answer).toEqual({ refused: 'rejected_content' })
    })
    await fc.assert(property, { numRuns: 500, seed: 17 })
  }, 120_000)

  it('that is huge is refused without being read', async () => {
    writeFileSync(join(folder, 'avatar.svg'), '<svg>')
    // Sparse: it would not fit into memory.
    truncateSync(join(folder, 'avatar.svg'), 64 * 1024 ** 3)
    await expect(readAvatar(folder)).rejects.toEqual(refusal('payload_too_large'))
  })

  it('of the largest size is served', async () => {
    writeFileSync(join(folder, 'avatar.svg'), '<svg>'.padEnd(LIMITS.avatarBytes))
    expect(await read()).toMatchObject({ type: 'image/svg+xml' })
  })

  it('that is a folder is refused', async () => {
    mkdirSync(join(folder, 'avatar.png'))
    await expect(readAvatar(folder)).rejects.toEqual(refusal('rejected_content'))
  })
})

const TYPES = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  svg: 'image/svg+xml',
}
