import type { Call } from '../program.ts'

/** Typical names of variables that contain secrets. */
export const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|PRIVATE_?KEY|CREDENTIAL|(^|[_^])KEY/i

/** Reports secrets that would be printed, because output enters the assistant's context. */
export const reportShown = ({ shell, name }: Call): void =>
  shell.emit({
    kind: 'hazard',
    rule: 'builtin:shown-secrets',
    verdict: 'alert',
    reason: `${name} shows secrets of the environment`,
  })
