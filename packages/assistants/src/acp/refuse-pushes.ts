type Environment = Readonly<Record<string, string | undefined>>

/**
 * An environment in which `git push` fails, also where the assistant does not ask before a command. Git
 * prefixes every address that it would push to with one that does not exist; other commands work.
 */
export const refusePushes = (env: Environment): Environment => {
  const count = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'url.pushing-was-not-requested://.pushInsteadOf',
    [`GIT_CONFIG_VALUE_${count}`]: '',
  }
}
