import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { STAND_IN_TOKEN } from '../../packages/edge/src/deploy/testing/platform-stand-in.ts'

/** Writes wrangler's login below a folder; returns the value of XDG_CONFIG_HOME. */
export const writeLogin = (folder: string): string => {
  const config = join(folder, 'xdg')
  mkdirSync(join(config, '.wrangler/config'), { recursive: true })
  writeFileSync(join(config, '.wrangler/config/default.toml'), login('2099-01-01T00:00:00.000Z'))
  return config
}

const login = (expires: string): string =>
  [
    `oauth_token = "${STAND_IN_TOKEN}"`,
    `expiration_time = "${expires}"`,
    'refresh_token = "never-used"',
    'scopes = [ "account:read", "workers:write" ]',
    '',
  ].join('\n')
