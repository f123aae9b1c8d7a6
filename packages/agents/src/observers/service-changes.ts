/** Subcommands that change a service, by program; the words of a subcommand are separated by a space. */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  argocd: ['app create', 'app rollback', 'app set', 'app sync'],
  cap: ['deploy'],
  cdk: ['deploy'],
  docker: ['service create', 'service scale', 'service update', 'stack deploy'],
  eb: ['deploy'],
  firebase: ['deploy'],
  flux: ['create', 'reconcile', 'resume', 'suspend'],
  fly: ['deploy', 'scale', 'secrets'],
  gh: ['secret set', 'variable set', 'workflow run'],
  helm: ['install', 'rollback', 'upgrade'],
  helmfile: ['apply', 'sync'],
  heroku: ['config:set', 'ps:restart', 'ps:scale', 'releases:rollback'],
  kamal: ['deploy', 'redeploy', 'rollback'],
  kubectl: [
    ...['annotate', 'apply', 'cordon', 'create', 'drain', 'edit', 'expose', 'label', 'patch'],
    ...['replace', 'rollout restart', 'rollout undo', 'scale', 'set env', 'set image'],
  ],
  netlify: ['deploy'],
  pulumi: ['up'],
  railway: ['deploy', 'up'],
  sam: ['deploy'],
  serverless: ['deploy'],
  sls: ['deploy'],
  terraform: ['apply', 'import'],
  tofu: ['apply', 'import'],
  vercel: ['deploy', 'promote', 'rollback'],
  wrangler: ['deploy', 'kv key put', 'publish', 'rollback', 'secret put'],
}

const SAME_AS: Readonly<Record<string, string>> = { flyctl: 'fly', oc: 'kubectl', podman: 'docker' }

/** Operations of command lines of cloud vendors. */
const CLOUD_CHANGES =
  /^(add|associate|attach|create|deploy|detach|disable|enable|modify|put|reboot|register|replace|resize|restart|run|set|start|stop|update)(-|$)/
const CLOUDS: ReadonlySet<string> = new Set(['aws', 'az', 'doctl', 'gcloud', 'hcloud'])
/** Commands that only affect this machine. */
const LOCAL = /^(account|auth|components|config|configure|init|login|version)$/

const DATABASES: ReadonlySet<string> = new Set(['cockroach', 'mariadb', 'mysql', 'psql'])
/** Changes of structure and rights; changes of rows are too common to count. */
const SQL_CHANGES =
  /\b(alter (table|role|user|database|schema|system)|create (unique )?(index|table|view|role|user|database|schema|extension|trigger)|grant|revoke)\b/i

/** Reads only, or applies to a test environment. */
const ONLY_LOOKS = /\s(--help|--dry-?run\b\S*|--check|--syntax-check|--list-\w+|--diff)(?=\s|$)/
const FOR_TESTS = /(^|[^a-z])(tests?|testing|dev|local|localhost|minikube)(?![a-z])/i

const OPTION = /^-/
/** Global options and their values may come before the subcommand. */
const WORDS_BEFORE = 3

/** Whether a command rolls a service back to an earlier version. */
export const isGoingBack = (command: string): boolean =>
  /\s(\S+:)?(rollback|rollout undo)(\s|$)/.test(command)

/** Whether a command changes a service, such as a deployment, a cluster or a database. */
export const isServiceChange = (command: string): boolean => {
  const [path = '', ...rest] = command.trim().split(/\s+/)
  if (ONLY_LOOKS.test(command) || FOR_TESTS.test(rest.join(' '))) return false
  const name = path.slice(path.lastIndexOf('/') + 1)
  const program = SAME_AS[name] ?? name
  const words = rest.filter((word) => !OPTION.test(word))
  if (DATABASES.has(program)) return SQL_CHANGES.test(command)
  if (program === 'ansible-playbook') return words.length > 0
  if (program === 'vercel' && rest.includes('--prod')) return true
  if (CLOUDS.has(program)) {
    if (LOCAL.test(words[0] ?? '')) return false
    return words.slice(1, 1 + WORDS_BEFORE).some((word) => CLOUD_CHANGES.test(word))
  }
  const known = Object.hasOwn(SUBCOMMANDS, program) ? SUBCOMMANDS[program] : undefined
  const start = ` ${words.slice(0, WORDS_BEFORE + 1).join(' ')} `
  return known?.some((each) => start.includes(` ${each} `)) ?? false
}
