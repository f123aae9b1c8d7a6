import { expect, it } from 'vitest'
import { createRedactor } from '../redaction/redactor.ts'
import { LOOK_ALIKE_CORPUS, SECRET_CORPUS } from '../redaction/testing/secret-corpus.ts'
import { createLargeRedaction, redactHere } from './redact-large.ts'

const KNOWN = 'Kf93-known-secret'
const redactor = createRedactor({ API_KEY: KNOWN, SHORT: 'ab' })
const patient = createLargeRedaction({ limitMs: 60_000 })
/** The limit elapses as soon as a thread has the records. */
const impatient = createLargeRedaction({
  startTimer: (_, elapse) => {
    const timer = setImmediate(elapse)
    return () => clearImmediate(timer)
  },
})

const texts = [...SECRET_CORPUS, ...LOOK_ALIKE_CORPUS].map(({ text }) => text)
const records = [
  { all: texts.join('\n'), password: 'Sesame12', note: `key ${KNOWN}` },
  { list: texts, n: 1, deep: { token: [null, { text: JSON.stringify(texts) }] } },
  {},
]

it('masks the same whether it does so directly or in a thread', async () => {
  expect(JSON.stringify(records).length).toBeGreaterThan(50_000)
  const clean = await patient(records, redactor)
  expect(clean).toEqual(await redactHere(records, redactor))
  expect(clean[0]).toMatchObject({ password: '[redacted]', note: 'key [redacted:API_KEY]' })
})

it('masks with the secrets of each call', async () => {
  const large = [{ note: `key ${KNOWN}`, text: 'x'.repeat(20_000) }]
  const [first] = await patient(large, redactor)
  const [second] = await patient(large, createRedactor({ OTHER: KNOWN }))
  expect([first?.note, second?.note]).toEqual(['key [redacted:API_KEY]', 'key [redacted:OTHER]'])
})

it('masks small records directly', async () => {
  expect(await impatient([{ password: 'Sesame12' }, {}], redactor)).toEqual([
    { password: '[redacted]' },
    {},
  ])
})

it.each([
  ['a long text', { text: 'a '.repeat(500_000) }],
  ['many values', { list: Array.from({ length: 20_000 }, () => 1) }],
  ['many members', Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]))],
])('refuses %s that takes longer than its limit', async (_, record) => {
  await expect(impatient([record], redactor)).rejects.toMatchObject({
    code: 'rejected_content',
    message: 'a record to be masked: reading it takes longer than 20000 ms',
  })
})
