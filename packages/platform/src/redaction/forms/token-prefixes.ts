import { type CharSet, charSet } from './secret-scan.ts'

export interface TokenForm {
  chars: CharSet
  /** Characters after the prefix. */
  least: number
  /** What has another length is something else. */
  most?: number
  /** Ordinary words share the prefix: only what has digits too is a token. */
  mixed?: true
  /** What else the characters after the prefix must be. */
  is?: RegExp
}

export const ALNUM = charSet(/[A-Za-z0-9]/)
const WORD = charSet(/[\w-]/)
const UPPER = charSet(/[A-Z0-9]/)
const UPPER_GROUPS = charSet(/[A-Z0-9-]/)
const HEX = charSet(/[0-9a-fA-F]/)
const HEX_GROUPS = charSet(/[0-9a-f-]/)
const DOTTED = charSet(/[\w.=-]/)
const BASE64 = charSet(/[\w+/=-]/)
const PERCENT = charSet(/[\w%]/)
const DOLLAR = charSet(/[\w$]/)

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const ALL_KINDS = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])/

/**
 * How the tokens of well-known services begin, from what the services and the public rule sets of
 * secret scanners document. Prefixes of one form are separated by spaces.
 */
const FORMS: ReadonlyArray<[prefixes: string, form: TokenForm]> = [
  // Clouds and hosting
  ['AKIA ASIA ABIA ACCA', { chars: UPPER, least: 16, most: 16 }],
  ['ABSK', { chars: BASE64, least: 100 }],
  ['bedrock-api-key-', { chars: BASE64, least: 20 }],
  ['AIza', { chars: WORD, least: 30 }],
  ['ya29.', { chars: DOTTED, least: 20 }],
  ['1//0', { chars: WORD, least: 30 }],
  ['GOCSPX-', { chars: WORD, least: 20 }],
  ['LTAI', { chars: ALNUM, least: 12, most: 26, mixed: true }],
  ['AKID', { chars: ALNUM, least: 28, most: 40, mixed: true }],
  ['AQVN', { chars: WORD, least: 30, mixed: true }],
  ['dop_v1_ doo_v1_ dor_v1_', { chars: ALNUM, least: 32 }],
  ['fm1r_ fm1a_ fm2_ fo1_', { chars: BASE64, least: 40, mixed: true }],
  ['HRKU-', { chars: WORD, least: 32 }],
  ['rnd_', { chars: ALNUM, least: 24, mixed: true }],
  ['nfp_ nfc_ nfo_ nfb_ nfu_', { chars: ALNUM, least: 36 }],
  ['sbp_ sb_secret_', { chars: BASE64, least: 20, mixed: true }],
  ['napi_', { chars: ALNUM, least: 40, mixed: true }],
  ['pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_app_', { chars: DOTTED, least: 30 }],
  ['v1.0-', { chars: HEX_GROUPS, least: 100 }],
  ['cfut_ cfat_ cfk_ vercel_ vcp_', { chars: WORD, least: 20, mixed: true }],
  ['tskey- dnkey-', { chars: WORD, least: 20, mixed: true }],
  ['sha256~', { chars: WORD, least: 40, most: 50 }],
  ['dapi', { chars: HEX, least: 32, most: 34 }],
  ['dckr_pat_ dckr_oat_', { chars: WORD, least: 20 }],
  // Source code, builds and packages
  ['ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', { chars: WORD, least: 16 }],
  [
    'glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- gloas- glffct- glwt-',
    { chars: DOTTED, least: 16 },
  ],
  ['GR1348941', { chars: WORD, least: 20 }],
  ['ATATT ATCTT ATBB', { chars: BASE64, least: 20, mixed: true }],
  ['ATTA', { chars: HEX, least: 64 }],
  ['npm_', { chars: ALNUM, least: 20 }],
  ['pypi-', { chars: WORD, least: 32, mixed: true }],
  ['rubygems_', { chars: HEX, least: 40 }],
  ['cio', { chars: ALNUM, least: 32, most: 32, mixed: true }],
  ['oy2', { chars: ALNUM, least: 43, most: 43, mixed: true }],
  ['CLOJARS_', { chars: ALNUM, least: 60 }],
  ['AKCp', { chars: ALNUM, least: 60, mixed: true }],
  ['cmVmd', { chars: ALNUM, least: 50, mixed: true }],
  ['CCIPAT_ CCIPRJ_', { chars: WORD, least: 40 }],
  ['bkua_ bkct_', { chars: HEX, least: 40 }],
  ['squ_ sqp_ sqa_', { chars: HEX, least: 40 }],
  ['sgp_ slk_ sgd_', { chars: WORD, least: 40, mixed: true }],
  ['pul-', { chars: HEX, least: 40 }],
  ['ico-', { chars: ALNUM, least: 32, most: 32, mixed: true }],
  ['pnu_ pnb_', { chars: ALNUM, least: 36, most: 36, mixed: true }],
  ['pat. sat.', { chars: DOTTED, least: 60, is: /^[\w-]{22}\.\w{24}\.\w{20}$/ }],
  ['sm_pat_ sm_aat_ sm_sat_', { chars: ALNUM, least: 16, mixed: true }],
  // Models
  ['sk- pk- rk-', { chars: WORD, least: 16, mixed: true }],
  ['sk_', { chars: HEX, least: 32, mixed: true }],
  ['hf_ api_org_', { chars: ALNUM, least: 30 }],
  [
    'gsk_ r8_ tvly- xai- nvapi- pplx- lsv2_ pcsk_ tgp_v1_ jina_ wandb_v1_',
    { chars: WORD, least: 20, mixed: true },
  ],
  ['csk-', { chars: ALNUM, least: 40, mixed: true }],
  ['fw_', { chars: ALNUM, least: 22, mixed: true }],
  ['fc-', { chars: HEX, least: 32, most: 32, mixed: true }],
  ['pa-', { chars: WORD, least: 43, most: 43, is: ALL_KINDS }],
  // Payments and shops
  ['sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_', { chars: BASE64, least: 12 }],
  ['sq0csp- sq0atp- sq0idp-', { chars: WORD, least: 20 }],
  ['EAA', { chars: WORD, least: 56, mixed: true }],
  ['access_token$', { chars: DOLLAR, least: 40, mixed: true }],
  ['shpat_ shpca_ shppa_ shpss_ shpua_', { chars: ALNUM, least: 24 }],
  ['shippo_live_ shippo_test_', { chars: HEX, least: 40 }],
  [
    'access-production- access-sandbox- access-development-',
    { chars: HEX_GROUPS, least: 36, is: UUID },
  ],
  ['FLWSECK_TEST- FLWSECK-', { chars: WORD, least: 12, mixed: true }],
  ['duffel_live_ duffel_test_', { chars: BASE64, least: 40 }],
  ['EZAK EZTK', { chars: ALNUM, least: 54, most: 54 }],
  ['live_ test_', { chars: HEX, least: 35, most: 35 }],
  // Messages and mail
  [
    'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe. xapp-',
    { chars: DOTTED, least: 10 },
  ],
  ['mfa.', { chars: WORD, least: 60 }],
  ['SG.', { chars: DOTTED, least: 40, is: /\./, mixed: true }],
  ['tk-us-', { chars: WORD, least: 40 }],
  ['s-s4t2', { chars: WORD, least: 60, mixed: true }],
  ['API-', { chars: UPPER, least: 26, most: 26, mixed: true }],
  ['4b1d', { chars: ALNUM, least: 38, most: 38, is: ALL_KINDS }],
  ['SK', { chars: HEX, least: 32, most: 32 }],
  ['key-', { chars: HEX, least: 32, most: 32 }],
  ['re_', { chars: WORD, least: 20, mixed: true, is: /[a-z].*[A-Z]|[A-Z].*[a-z]/ }],
  ['xkeysib- xsmtpsib-', { chars: WORD, least: 64 }],
  // Watching and measuring
  ['glsa_ glc_ sntrys_ sntryu_', { chars: BASE64, least: 20 }],
  ['eyJrIjoi', { chars: BASE64, least: 60 }],
  ['NRAK- NRII- NRIQ- NRJS- NRRA- NRSP-', { chars: WORD, least: 16, mixed: true }],
  ['dt0c01. dt0s01. dt0s02.', { chars: DOTTED, least: 80 }],
  ['hcaik_ hcbik_ hcxik_ hcalk_ hcmik_', { chars: ALNUM, least: 50, mixed: true }],
  ['phx_ phs_', { chars: ALNUM, least: 30, mixed: true }],
  ['sdk- api- rel-', { chars: HEX_GROUPS, least: 36, is: UUID }],
  // Vaults and keys
  ['AGE-SECRET-KEY-1', { chars: ALNUM, least: 20 }],
  ['hvs. hvb. hvr.', { chars: WORD, least: 20 }],
  ['s.', { chars: ALNUM, least: 24, most: 24, mixed: true }],
  ['dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', { chars: DOTTED, least: 30 }],
  ['st.', { chars: DOTTED, least: 80, is: /^[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}$/ }],
  ['ops_eyJ', { chars: BASE64, least: 20 }],
  [
    'A3-',
    { chars: UPPER_GROUPS, least: 30, most: 40, is: /^[A-Z0-9]{6}-[A-Z0-9-]+$/, mixed: true },
  ],
  ['nsec1', { chars: ALNUM, least: 58, most: 58, mixed: true }],
  ['xprv yprv zprv tprv', { chars: ALNUM, least: 100, mixed: true }],
  ['signkey-', { chars: WORD, least: 40, mixed: true }],
  // Offices, designs and everything else
  ['lin_api_ lin_oauth_ figd_ PMAK- CFPAT-', { chars: BASE64, least: 20 }],
  ['ntn_ secret_', { chars: WORD, least: 30, mixed: true, is: ALL_KINDS }],
  ['pk_', { chars: WORD, least: 30, is: /^[0-9]{5,10}_[A-Z0-9]{32}$/ }],
  ['tfp_', { chars: DOTTED, least: 40, mixed: true }],
  ['pat-na1- pat-eu1-', { chars: HEX_GROUPS, least: 36, is: UUID }],
  ['sl.', { chars: WORD, least: 100, mixed: true }],
  ['fio-u-', { chars: BASE64, least: 60 }],
  ['rdme_', { chars: ALNUM, least: 60, mixed: true }],
  ['sk.eyJ', { chars: DOTTED, least: 40 }],
  ['aio_', { chars: ALNUM, least: 28, most: 28, mixed: true }],
  ['p8e-', { chars: ALNUM, least: 32, most: 32, mixed: true }],
  ['tr_prod_ tr_dev_ tr_stg_', { chars: ALNUM, least: 20, mixed: true }],
  ['secret-live- secret-test-', { chars: BASE64, least: 30, mixed: true }],
  ['cal_live_', { chars: ALNUM, least: 30, mixed: true }],
  ['AAAAAAAAAAAAAAAAAAAAA', { chars: PERCENT, least: 60, is: /%/ }],
  ['eyJ', { chars: DOTTED, least: 20, is: /^[\w-]+\.(?:eyJ|[\w-]*\.)/ }],
]

export const eachTokenPrefix = (take: (prefix: string, form: TokenForm) => void): void => {
  for (const [prefixes, form] of FORMS) for (const prefix of prefixes.split(' ')) take(prefix, form)
}
