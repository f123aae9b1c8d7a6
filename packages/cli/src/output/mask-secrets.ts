import { createEnvironment, createRedactor, type Redactor, secretsOf } from '@steward/platform'

type Write = (text: string) => void

/** Writes without secrets: messages are copied into issues and chats. */
export const maskSecrets = (
  write: Write,
  env: Readonly<Record<string, string | undefined>>,
): Write => {
  let redactor: Redactor | undefined
  return (text) => {
    redactor ??= createRedactor(secretsOf(createEnvironment(env, {})))
    write(redactor.redactText(text).value)
  }
}
