import { isHeldBack, SECRET_CORPUS } from './secret-corpus.ts'

/** A text that holds a secret, and what of it must never be shown. */
export interface SecretCase {
  name: string
  text: string
  secret: string
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Looks generated and is the same each time; sources hold no secret that a scanner could report. */
export const generated = (length: number, seed: number, letters = LETTERS): string => {
  let state = seed * 2_654_435_761 + 1
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    text += letters[(state >>> 8) % letters.length]
  }
  // Short ones must have letters and digits too.
  return length < 4 ? text : `${text.slice(0, -2)}q7`
}

const hex = (length: number, seed: number): string =>
  generated(length, seed, '0123456789abcdef').replace('q7', 'e7')
const upper = (length: number, seed: number): string =>
  generated(length, seed, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567').replace('q7', 'Q7')
const base64 = (length: number, seed: number): string => generated(length, seed, `${LETTERS}+/`)

const whole = (name: string, secret: string, before = '', after = ''): SecretCase => ({
  name,
  secret,
  text: `${before}${secret}${after}`,
})

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

/** What resembles a secret and must stay as it is. */
export const LOOK_ALIKES: readonly string[] = [
  `commit ${hex(40, 90)}`,
  'session 0192d7a0-7b7a-7c3e-8f00-1f2e3d4c5b6a',
  `"integrity": "sha512-${base64(86, 91)}=="`,
  `<img src="data:image/png;base64,iVBORw0KGgo${base64(400, 92)}">`,
  'token count: 3',
  'max_tokens: 1000',
  '{"max_tokens": 1000, "input_tokens": 123, "output_tokens": 45}',
  'password: required',
  '/home/me/project/secrets/token.ts',
  'src/auth/token.ts:12:5 - error TS2304: cannot find name',
  'steward ask --token-limit 5 --max-tokens=100',
  'input_tokens: 123',
  'we play secret santa this year',
  'the password is checked by the server',
  'const token = await getToken()',
  'const password = process.env.DB_PASSWORD',
  'function login(user: string, password: string): Promise<Token>',
  'export AWS_SECRET_ACCESS_KEY=$(pass show aws)',
  'PASSWORD=$PASSWORD docker compose up',
  'curl -H "Authorization: Bearer $TOKEN" https://x.test',
  'Authorization: Bearer <token>',
  'basic authentication is not supported; use bearer authentication instead',
  'git clone git@github.test:a/b.git && ssh://git@github.test/a/b',
  'http://localhost:31337/api/events?limit=50',
  'npm run build -- --mode=production && npm_config_cache=/tmp/x npm ci',
  'mkdir -p /tmp/dir && cp -p a b && docker run -p 8080:80 nginx',
  'tar -xzpf a.tgz; ssh -p 2222 host.test; nc -u host 53',
  'mysql -u root -p',
  'gpg --passphrase-file /run/key --passphrase-fd 0',
  'docker login --password-stdin < ~/token',
  'tokens used: 12345 of 200000',
  'class TokenBucket { private readonly key: string }',
  'idempotencyKey: order-2026-01-01-0001',
  '"primaryKey": "customer_id_1234567890"',
  'cookie: yes please',
  'sk-circle-fade-dot-animation',
  'the risk-averse desk-bound task-oriented team',
  'PWD=/home/me OLDPWD=/home/me/project1',
  'password_hash_algorithm: argon2id',
  'next_page_token: CAESBhIEAAAAAA0123',
  `sha256:${hex(64, 93)}`,
  'tokenizer.json: 2.1 MB, tokenize("abc123def456")',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----',
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(43, 94)} me@host`,
  'Set-Cookie is a header; so is Authorization.',
  'user:pass',
  'echo "done" | tee log.txt',
  '2026-01-01T10:00:00Z INFO token refreshed in 35ms',
  'secretName: db-credentials-v2',
  'passed: 12, failed: 0, bypass: false',
  'keyboard: us-intl2, monkey=banana12',
  'if (password.length < 8) throw new Error("password: too short")',
  'password=[redacted] token: [redacted:API_KEY]',
  '"pgpass": "1.0.5", "jsonwebtoken": "^9.0.2", "@aws-sdk/credential-providers": "~3.1"',
]

const word = (seed: number): string => generated(14, seed)

/** The same kinds of secrets in other places; written before the rules had seen them. */
export const SECRET_VARIANTS: readonly SecretCase[] = [
  whole('YAML', word(101), 'database:\n  password: ', '\n  host: db'),
  whole('YAML, quoted', word(102), 'apiKey: "', '"'),
  whole('YAML block', word(103), 'secret: |\n  ', '\n'),
  whole('properties', word(104), 'spring.datasource.password=', '\n'),
  whole('TOML', word(105), 'api_token = "', '"'),
  whole('PowerShell', word(106), '$env:API_KEY = "', '"'),
  whole('fish', word(107), 'set -x GITHUB_TOKEN ', ''),
  whole('Dockerfile', word(108), 'ENV DB_PASSWORD ', ''),
  whole('docker -e', word(109), 'docker run -e POSTGRES_PASSWORD=', ' postgres'),
  whole('docker login', word(110), 'docker login -u me -p ', ' registry.test'),
  whole('XML', word(111), '<server><password>', '</password></server>'),
  whole('JavaScript', word(112), "const apiKey = '", "'"),
  whole('Python', word(113), 'client = Client(api_key="', '")'),
  whole('Ruby', word(114), ":password => '", "'"),
  whole('Go', word(115), 'password := "', '"'),
  whole('netrc', word(116), 'machine h.test login me password ', ''),
  whole('curl --user', word(117), 'curl --user me:', ' https://x.test'),
  whole('curl -u attached', word(118), 'curl -ume:', ' https://x.test'),
  whole('curl -su', word(119), 'curl -su me:', ' https://x.test'),
  whole('curl quoted', word(120), 'curl -u "me:', '" https://x.test'),
  whole('curl cookie', word(121), 'curl -b "sid=', '" https://x.test'),
  whole('mysqldump', word(122), 'mysqldump -uroot -p', ' db > x.sql'),
  whole('mysql quoted', word(123), "mysql -p'", "' db"),
  whole('docker exec mysql', word(124), 'docker exec db mysql -uroot -p', ''),
  whole('mysql --password=', word(125), 'mysql --password=', ' db'),
  whole('sh -c', word(126), 'bash -c "sshpass -p ', ' ssh x"'),
  whole('sshpass attached', word(127), 'sshpass -p', ' ssh x'),
  whole('redis-cli -a', word(128), 'redis-cli -h h -a ', ' ping'),
  whole('mongosh', word(129), 'mongosh -u me -p ', ''),
  whole('openssl', word(130), 'openssl rsa -passin pass:', ' -in k'),
  whole('gpg', word(131), 'gpg --batch --passphrase ', ' -d x'),
  whole('aws configure', word(132), 'aws configure set aws_secret_access_key ', ''),
  whole('npm config', word(133), 'npm config set //r.test/:_authToken ', ''),
  whole('printf to sudo', word(134), "printf '%s\\n' ", ' | sudo -S ls'),
  whole('here-string', word(135), 'sudo -S ls <<< ', ''),
  whole('here-string, gh', word(136), 'gh auth login --with-token <<< "', '"'),
  whole('docker stdin', word(137), 'echo ', ' | docker login -u me --password-stdin'),
  whole('SQL', word(138), "CREATE USER bob IDENTIFIED BY '", "'"),
  whole('SQL role', word(139), "ALTER ROLE bob WITH PASSWORD '", "'"),
  whole('query', word(140), 'GET /x?access_token=', '&y=1'),
  whole('fragment', word(141), 'https://x.test/cb#access_token=', '&type=b'),
  whole('amqp', word(142), 'amqp://guest:', '@mq.test/v'),
  whole('mongodb+srv', word(143), 'mongodb+srv://me:', '@c.test/db?w=1'),
  whole('password with slash', `${word(144)}/x1`, 'postgres://me:', '@db.test/app'),
  whole('x-access-token', word(145), 'https://x-access-token:', '@github.test/a'),
  whole('X-Api-Key', word(146), 'X-Api-Key: ', '\r\nAccept: */*'),
  whole('PRIVATE-TOKEN', word(147), "curl --header 'PRIVATE-TOKEN: ", "' x"),
  whole('Set-Cookie', `sid=${word(148)}`, 'Set-Cookie: ', '\r\n'),
  whole('Proxy-Authorization', word(149), 'Proxy-Authorization: Basic ', ''),
  whole('Authorization, unknown scheme', `${word(150)}${word(151)}`, 'Authorization: Custom ', ''),
  whole('Digest', hex(32, 152), 'Authorization: Digest username="bob", response="', '"'),
  whole('JSON in a shell', word(153), `curl -d '{"password":"`, `"}' x`),
  whole('JSON in JSON', word(154), '{"body":"{\\"client_secret\\":\\"', '\\"}"}'),
  whole('JSON header', word(155), '{"headers":{"Authorization":"Bearer ', '"}}'),
  whole('refreshToken', word(156), '{"refreshToken":"', '"}'),
  whole('secret in the middle', word(157), 'MY_SECRET_PROD=', ''),
  whole('token with a number', word(158), 'BOT_TOKEN_2=', ''),
  whole('Basic in code', `${base64(30, 159)}=`, "headers['Authorization'] = 'Basic ", "'"),
  whole('EC key', base64(60, 160), `-----BEGIN ${['EC', 'PRIVATE', 'KEY'].join(' ')}-----\n`, ''),
  whole(
    'key in one line',
    base64(60, 161),
    `KEY="-----BEGIN ${['PRIVATE', 'KEY'].join(' ')}-----\\n`,
    '\\n"',
  ),
  whole(
    'SharedAccessKey',
    `${base64(43, 162)}=`,
    'Endpoint=sb://x;SharedAccessKeyName=r;SharedAccessKey=',
    '',
  ),
  whole('AWS query signature', hex(64, 163), 'https://s3.test/k?X-Amz-Signature=', '&x=1'),
  whole('smbclient', word(164), 'smbclient //h/s -U me%', ''),
  whole('password: in a sentence', 'Hunter2!x', 'The password: ', ' works'),
  whole('exported with quotes', 'a b c 1', 'export APP_PASSWORD="', '"; run'),
  whole('numbers', '48213', 'DB_PASSWORD=', ' x'),
  whole('Kubernetes secret', `${base64(20, 165)}==`, 'data:\n  db-password: ', '\n'),
  whole('xoxp', `xo${'xp-'}1234-5678-${generated(30, 166)}`, 'slack ', ''),
  whole('GitHub server token in JSON', `gh${'s_'}${generated(36, 167)}`, '{"stdout":"\\n', '"}'),
  whole('after an equals sign', `gl${'pat-'}${generated(20, 168)}`, 'x=', ''),
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
