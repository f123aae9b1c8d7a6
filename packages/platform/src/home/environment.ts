/** Names and values as one: what the process was given, then what the env file adds. */
export type Environment = Readonly<Record<string, string>>

/** The process environment wins, even with an empty value; the env file fills what is not there. */
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
