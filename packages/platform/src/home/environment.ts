/** The process environment merged with the env file. */
export type Environment = Readonly<Record<string, string>>

/**
 * The process environment takes precedence, even with an empty value; the env file adds missing
 * names.
 */
export const createEnvironment = (
  processEnvironment: Readonly<Record<string, string | undefined>>,
  envFile: Readonly<Record<string, string>>,
): Environment => {
  const given = Object.entries(processEnvironment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const merged: Record<string, string> = Object.create(null)
  for (const [name, value] of [...Object.entries(envFile), ...given]) merged[name] = value
  return Object.freeze(merged)
}
