import { expect, it } from 'vitest'
import { checkHosted } from './check-hosted.ts'

const address = 'http://127.0.0.1:31338'

it('reports nothing if it is off', () => {
  expect(checkHosted(undefined)).toEqual([])
  expect(checkHosted({ status: 'unavailable', reasons: ['off'] })).toEqual([])
})

it('reports a running server, a stopped one and missing isolation', () => {
  expect(checkHosted({ status: 'ok', address, isolation: 'bubblewrap' })).toMatchObject([
    { status: 'ok', message: `${address}, isolated by bubblewrap` },
  ])
  expect(checkHosted({ status: 'ok', address, isolation: 'NO ISOLATION' })).toMatchObject([
    { status: 'warn', message: expect.stringContaining('NO ISOLATION') },
  ])
  expect(checkHosted({ status: 'failed', reasons: ['bubblewrap is missing'] })).toMatchObject([
    { status: 'fail', message: expect.stringContaining('bubblewrap is missing') },
  ])
})
