import { expect, it } from 'vitest'
import { checkHosted } from './check-hosted.ts'

const address = 'http://127.0.0.1:31338'

it('reports nothing if it is off', () => {
  expect(checkHosted(undefined)).toEqual([])
  expect(checkHosted({ status: 'unavailable', reasons: ['off'] })).toEqual([])
})

it('offers to install what DNS and TCP in sandboxes need', () => {
  const running = { status: 'ok', address, network: 'http' } as const
  expect(checkHosted({ ...running, isolation: 'bubblewrap' })).toMatchObject([
    { status: 'warn', message: expect.stringContaining('no DNS'), fix: expect.any(Function) },
  ])
  // Containers never have it, so there is nothing to repair.
  expect(checkHosted({ ...running, isolation: 'docker' })).toMatchObject([{ status: 'ok' }])
  const complete = { ...running, isolation: 'bubblewrap', network: 'tcp' }
  expect(checkHosted(complete)).toMatchObject([{ status: 'ok' }])
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
