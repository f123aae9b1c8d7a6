import { base64, generated, hex, type SecretCase, upper, whole } from './generated-secrets.ts'
import { isHeldBack, SECRET_CORPUS } from './secret-corpus.ts'

const pem = (label: string, seed: number): { block: string; body: string } => {
  const body = base64(64, seed)
  const edge = (word: string) => `-----${word} ${label}-----`
  return { body, block: `${edge('BEGIN')}\n${body}\n${base64(40, seed + 1)}==\n${edge('END')}` }
}
const rsa = pem(['RSA', 'PRIVATE', 'KEY'].join(' '), 71)
const pgp = pem(['PGP', 'PRIVATE', 'KEY', 'BLOCK'].join(' '), 73)
const gcp = pem(['PRIVATE', 'KEY'].join(' '), 75)
const openSshBody = `${'b3BlbnNzaC1r'}${'ZXktdjEAAAAA'}${base64(46, 77)}\n${base64(70, 78)}\n${base64(24, 79)}==`
const jwt = ['eyJhbGciOiJIUzI1NiJ9', `eyJzdWIiOiIx${generated(20, 81)}`, generated(43, 82)].join(
  '.',
)

/** Every form that the security review names, leaked or held. */
export const SECRET_FORMS: readonly SecretCase[] = [
  whole(
    'AWS secret key, environment',
    base64(40, 1),
    'export AWS_SECRET_ACCESS_KEY=',
    ' && aws s3 ls',
  ),
  whole(
    'AWS secret key, ini',
    base64(40, 2),
    '[default]\naws_secret_access_key = ',
    '\nregion = eu',
  ),
  whole('Google API key', `AI${'za'}${generated(35, 3)}`, 'curl "https://maps.test/?q=x&key=', '"'),
  whole('Google access token', `ya${'29.'}${generated(60, 4)}`, 'using '),
  whole(
    'Azure AccountKey',
    `${base64(86, 5)}==`,
    'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=',
    ';EndpointSuffix=core',
  ),
  whole(
    'SAS signature',
    `${generated(40, 6)}%3D`,
    'https://x.blob.test/c?sv=2024-01-01&se=2026-01-01&sig=',
    '&sp=r',
  ),
  whole('Azure -p', generated(30, 7), 'az login --service-principal -u app -p ', ' --tenant t'),
  whole('Stripe live key', `sk${'_live_'}${generated(24, 8)}`, 'stripe charges list '),
  whole('Stripe webhook secret', `wh${'sec_'}${generated(32, 9)}`, 'secret is '),
  whole(
    'Slack webhook',
    `T${upper(8, 10)}/B${upper(8, 11)}/${generated(24, 12)}`,
    `curl -d x https://hooks.${'slack'}.com/services/`,
  ),
  whole(
    'Discord webhook',
    generated(68, 13),
    `https://${'discord'}.com/api/webhooks/123456789012345678/`,
  ),
  whole(
    'Discord bot token',
    `M${generated(23, 14)}.${generated(6, 15)}.${generated(38, 16)}`,
    'login ',
  ),
  whole(
    'Telegram bot token',
    `123456789:${'AA'}${generated(33, 17)}`,
    'https://api.telegram.org/bot',
    '/sendMessage',
  ),
  whole('SendGrid key', `S${'G.'}${generated(22, 18)}.${generated(43, 19)}`, 'key '),
  whole('Twilio API key', `S${'K'}${hex(32, 20)}`, 'sid '),
  whole('Twilio auth token', hex(32, 21), 'TWILIO_AUTH_TOKEN='),
  whole(
    'PyPI token',
    `py${'pi-'}AgEIcHlwaS5vcmc${generated(60, 22)}`,
    'twine upload -u __token__ ',
  ),
  whole('Hugging Face token', `h${'f_'}${generated(34, 23)}`, 'login '),
  whole('DigitalOcean token', `dop${'_v1_'}${hex(64, 24)}`, 'doctl auth init -t '),
  whole('Docker token', `dckr${'_pat_'}${generated(27, 25)}`, 'docker login as me with '),
  whole('Shopify token', `shp${'at_'}${hex(32, 26)}`, 'use '),
  whole('Atlassian token', `AT${'ATT3xFfGF0'}${generated(60, 27)}=${hex(8, 28)}`, 'use '),
  whole(
    'Authorization: token',
    hex(40, 29),
    "curl -H 'Authorization: token ",
    "' https://api.test",
  ),
  whole(
    'Cookie header',
    `session=${generated(32, 30)}; csrf=${generated(10, 31)}`,
    "curl -H 'Cookie: ",
    "' https://x.test",
  ),
  whole('curl -u', 'hunter2pass', 'curl -u bob:', ' https://x.test'),
  whole('token@ in an address', hex(40, 32), 'git clone https://', '@git.test/a/b.git'),
  whole('redis://:p@', 'rEd1sPass', 'redis-cli -u redis://:', '@cache.test:6379/0'),
  whole('MYSQL_PWD', 's3cretpw', 'MYSQL_PWD=', ' mysql -u root db'),
  whole('mysql -p', 'hunter2', 'mysql -u root -p', ' -e "select 1"'),
  whole('sshpass -p', 'Tr0ub4dor', 'sshpass -p ', ' ssh root@host.test'),
  whole('--password X', 'hunter22', 'tool login --user bob --password ', ' --verbose'),
  whole('--token X', generated(24, 33), 'tool deploy --token ', ' --prod'),
  whole('DB_PASS', 'pg-pass-1', 'DB_PASS=', ' npm start'),
  whole('PASSPHRASE', 'correct horse battery', "export PASSPHRASE='", "'"),
  whole('ENCRYPTION_KEY', hex(64, 34), 'ENCRYPTION_KEY='),
  whole('short password=', 'abc12', 'https://x.test/login?user=bob&password=', '&next=/'),
  whole('echo P | sudo -S', 'My Pass1', 'echo "', '" | sudo -S apt update'),
  {
    name: 'headless OpenSSH body',
    text: `cat key:\n${openSshBody}\n`,
    secret: openSshBody.slice(0, 60),
  },
  { name: 'PGP block', text: `gpg out\n${pgp.block}\ndone`, secret: pgp.body },
  whole('age key', `AGE-${'SECRET'}-KEY-1${upper(58, 35)}`, '# created\n'),
  whole('JSON apiKey', generated(20, 36), '{"apiKey": "', '", "n": 1}'),
  whole('JSON token', generated(20, 37), '{"token":"', '"}'),
  whole('JSON client_secret', generated(20, 38), '{"client_id": "x", "client_secret": "', '"}'),
  whole('private key in hex', `0x${hex(64, 39)}`, 'PRIVATE_KEY='),
  whole('AWS key id', `AK${'IA'}${upper(16, 40)}`, 'id '),
  whole('AWS_SESSION_TOKEN', base64(200, 41), 'AWS_SESSION_TOKEN='),
  {
    name: 'GCP service account',
    text: JSON.stringify({ type: 'service_account', private_key: gcp.block }),
    secret: gcp.body,
  },
  whole('OpenAI key', `s${'k-proj-'}${generated(48, 42)}`, 'key '),
  whole('Anthropic key', `s${'k-ant-'}api03-${generated(90, 43)}`, 'key '),
  whole('GitHub token', `gh${'p_'}${generated(36, 44)}`, 'key '),
  whole(
    'GitHub fine-grained token',
    `github${'_pat_'}${generated(22, 45)}_${generated(59, 46)}`,
    'key ',
  ),
  whole('GitLab token', `gl${'pat-'}${generated(20, 47)}`, 'key '),
  whole('Slack bot token', `xo${'xb-'}123456789012-${generated(24, 48)}`, 'key '),
  whole('npm token', `np${'m_'}${generated(36, 49)}`, 'key '),
  whole('_authToken', generated(36, 50), '//registry.test/:_authToken='),
  whole('JWT', jwt, 'got '),
  whole('Bearer', generated(32, 51), 'curl -H "Authorization: Bearer ', '" https://x.test'),
  whole('Basic', `${base64(22, 52)}==`, 'Authorization: Basic '),
  whole('user:pass@', 'p%40ssw0rd', 'psql postgres://bob:', '@db.test:5432/app'),
  whole('Password=;', 'P@ssw0rd!', 'Server=db;User Id=sa;Password=', ';Encrypt=true'),
  whole('PGPASSWORD', 'pgp4ss', 'PGPASSWORD=', ' psql -h db'),
  whole('quoted password:', 'hunter2!', "config = { password: '", "' }"),
  { name: 'RSA PEM', text: `x\n${rsa.block}\ny`, secret: rsa.body },
  whole('otpauth', upper(32, 53), 'otpauth://totp/Acme:bob?secret=', '&issuer=Acme'),
]

/** One case in five of the corpus, so of every kind of secret and place. */
const SAMPLE = SECRET_CORPUS.filter((each) => !isHeldBack(each))
  .filter((_, index) => index % 5 === 0)
  .map(({ id, text, secrets }): SecretCase => ({ name: id, text, secret: secrets[0] ?? '' }))

/** What the test of a sink sends through it. */
export const SINK_CASES: readonly SecretCase[] = [...SECRET_FORMS, ...SAMPLE]

/** The names of the cases whose secret can be read in a text, as it is or escaped for JSON. */
export const findLeaks = (shown: string, cases: readonly SecretCase[] = SINK_CASES): string[] =>
  cases
    .filter(({ secret }) => shown.includes(secret) || shown.includes(escapeJson(secret)))
    .map(({ name }) => name)

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1)
