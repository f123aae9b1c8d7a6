import { expect, it } from 'vitest'
import { wranglerEnvironment } from './wrangler-environment.ts'

it('hides only the tokens that interfere with the login from wrangler', () => {
  const given = {
    CF_API_TOKEN: 'x',
    CLOUDFLARE_API_TOKEN: 'x',
    XDG_CONFIG_HOME: '/c',
    HTTPS_PROXY: 'http://p',
    GONE: undefined,
    WRANGLER_SEND_METRICS: 'true',
  }
  const folders = { account: 'a1', logs: '/l', output: '/o', compiled: '/cache' }
  const made = wranglerEnvironment(given, folders)
  expect(made).toMatchObject({
    XDG_CONFIG_HOME: '/c',
    HTTPS_PROXY: 'http://p',
    CLOUDFLARE_ACCOUNT_ID: 'a1',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG_PATH: '/l',
    NODE_COMPILE_CACHE: '/cache',
  })
  expect(Object.keys(made)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/API_TOKEN|GONE/)]),
  )
})
