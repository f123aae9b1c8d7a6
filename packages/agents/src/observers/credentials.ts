/** Files that contain secrets, wherever they are. */
const CREDENTIAL_PATHS: readonly RegExp[] = [
  /\/\.ssh\/(?!known_hosts|config$|authorized_keys)[^/]*(?<!\.pub)$/,
  /\/\.ssh$/,
  /\/\.(aws|azure|config\/gcloud|kube|gnupg|docker)(\/(credentials|config|config\.json|.*token.*|.*\.db|private-keys[^/]*)?)?$/,
  /\/\.(netrc|pgpass|npmrc|pypirc|git-credentials|vault-token)$/,
  /\/\.env(\.(?!example|sample|template|dist)[^/]*)?$/,
  /\/(id_(rsa|dsa|ecdsa|ed25519)|[^/]+\.(pem|p12|pfx|jks|keystore|kdbx))$/,
  /\/(secrets?|credentials?)(\.(json|ya?ml|toml|txt|env))$/,
  /\/etc\/(shadow|gshadow|sudoers)(\.d\/.*)?$/,
  /\/(Keychains|keyrings)(\/|$)/,
  /\/proc\/[^/]+\/environ$/,
  /\/(Cookies|Login Data|logins\.json|key4\.db)$/,
]

/** Programs that print secrets. */
const CREDENTIAL_COMMANDS: readonly RegExp[] = [
  /^(printenv|env)$/,
  /^security\s+(find|dump)-/,
  /^gh\s+auth\s+token/,
  /^gcloud\s+auth\s+(print|application-default\s+print)/,
  /^aws\s+(secretsmanager\s+get-secret-value|ssm\s+get-parameters?\b.*--with-decryption|configure\s+export-credentials)/,
  /^(op\s+(read|item\s+get)|pass\s+(show\s+)?\S|vault\s+(kv\s+get|read)|bw\s+get)/,
  /^kubectl\s(?:.*\s)?get\s+secrets?\b/s,
  /^git\s+credential\s+fill/,
]

/** No file has a longer path, and some of the forms take more than linear time. */
const LONGEST_PATH = 4096

export const isCredentialPath = (path: string): boolean =>
  CREDENTIAL_PATHS.some((form) => form.test(path.slice(-LONGEST_PATH)))

export const isCredentialCommand = (command: string): boolean =>
  CREDENTIAL_COMMANDS.some((form) => form.test(command.trim()))
