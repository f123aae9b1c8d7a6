import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z as real } from 'zod'

const loadChunk = vi.fn(() => ({ z: real }))

/** As in a chunk of the bundled program: with a loader, and zod not loaded yet. */
const open = async (): Promise<{ z: typeof real }> => {
  vi.resetModules()
  vi.stubGlobal('loadChunk', loadChunk)
  vi.stubGlobal('ZOD_CHUNK', 'zod.js')
  const { z }: { z: unknown } = await import('./deferred-zod.ts')
  return { z: Object(z) }
}

beforeEach(() => {
  loadChunk.mockClear()
})

const declareOrder = (z: typeof real) => {
  const money = z.number().nonnegative().meta({ description: 'in cents' })
  const line = z.strictObject({
    name: z.string().min(1),
    price: money,
    tags: z.array(z.string()).default([]),
  })
  return z.looseObject({
    id: z.union([z.string(), z.int()]),
    at: z.iso.datetime().optional(),
    count: z.coerce.number().prefault('2'),
    lines: z.record(z.string(), line.extend({ note: z.string().nullish() })),
    state: z.discriminatedUnion('type', [
      z.object({ type: z.literal('open') }),
      z.object({ type: z.literal('closed'), reason: z.enum(['sold', 'lost']) }),
    ]),
    get parent() {
      return declareOrder(z).optional()
    },
  })
}

const GOOD = {
  id: 7,
  lines: { a: { name: 'tea', price: 3 } },
  state: { type: 'closed', reason: 'sold' },
  parent: { id: 'x', at: '2026-01-02T03:04:05Z', lines: {}, state: { type: 'open' }, more: 1 },
}
const BAD = [
  undefined,
  {},
  { ...GOOD, id: true },
  { ...GOOD, at: 'yesterday' },
  { ...GOOD, lines: { a: { name: '', price: -1, other: 1 } } },
  { ...GOOD, state: { type: 'closed', reason: 'eaten' } },
  { ...GOOD, parent: { id: 1 } },
]

describe('deferred zod', () => {
  it('loads zod when a schema is used, and not when it is declared', async () => {
    const { z } = await open()
    const order = declareOrder(z).partial({ id: true }).describe('an order')
    expect(loadChunk).not.toHaveBeenCalled()
    expect(order.safeParse(GOOD).success).toBe(true)
    expect(order.safeParse(GOOD).success).toBe(true)
    expect(loadChunk).toHaveBeenCalledTimes(1)
  })

  it('is not loaded by importing the contract', async () => {
    const { z } = await open()
    vi.doMock('zod', () => ({ z }))
    try {
      const { settings } = await import('@steward/contract')
      expect(loadChunk).not.toHaveBeenCalled()
      expect(settings.safeParse({}).success).toBe(true)
      expect(loadChunk).toHaveBeenCalledTimes(1)
    } finally {
      vi.doUnmock('zod')
    }
  })

  it('judges, fills in and explains as zod does', async () => {
    const ours = declareOrder((await open()).z)
    const theirs = declareOrder(real)
    expect(ours.parse(GOOD)).toEqual(theirs.parse(GOOD))
    for (const value of BAD) {
      const judged = ours.safeParse(value)
      expect(judged.success).toBe(false)
      expect(judged.error?.issues).toEqual(theirs.safeParse(value).error?.issues)
    }
  })

  it('passes data through unchanged', async () => {
    const { z } = await open()
    const given = { deep: [{}] }
    expect(z.custom<typeof given>(() => true).parse(given)).toBe(given)
    expect(z.unknown().parse(given)).toBe(given)
  })

  it('is accepted wherever a schema is', async () => {
    const { z } = await open()
    const ours = declareOrder(z)
    expect(real.toJSONSchema(ours.shape.lines)).toEqual(
      real.toJSONSchema(declareOrder(real).shape.lines),
    )
    expect(z.toJSONSchema(ours.shape.lines)).toEqual(
      real.toJSONSchema(declareOrder(real).shape.lines),
    )
    expect(ours).toBeInstanceOf(real.ZodObject)
    expect(real.object({ ours }).safeParse({ ours: GOOD }).success).toBe(true)
    expect(z.string().meta({ title: 'x' }).meta()).toEqual({ title: 'x' })
    expect(Object.keys(ours.shape)).toEqual(Object.keys(declareOrder(real).shape))
  })

  it('applies configuration from before zod was loaded', async () => {
    const { z } = await open()
    const before = real.config().customError
    z.config({ customError: () => 'no such thing' })
    expect(loadChunk).not.toHaveBeenCalled()
    try {
      expect(z.string().safeParse(1).error?.issues[0]?.message).toBe('no such thing')
    } finally {
      real.config({ customError: before })
    }
  })
})
