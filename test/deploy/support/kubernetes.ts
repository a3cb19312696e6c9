import { parse, parseAllDocuments } from 'yaml';
import { LIMITS } from '../../../src/domain/limits.js';
import { commandFaults, type Files, missingVariables, settingFaults } from './manifests.js';

type Labels = Record<string, string>;

interface Metadata {
  name: string;
}

/** The fields of the manifests that have to agree with each other and with the daemon. */
export interface StatefulSet {
  kind: 'StatefulSet';
  metadata: Metadata;
  spec: {
    replicas: number;
    serviceName: string;
    selector: { matchLabels: Labels };
    template: { metadata: { labels: Labels }; spec: Pod };
  };
}

export interface Pod {
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number; runAsGroup?: number };
  containers: Container[];
  volumes?: { name: string }[];
}

export interface Probe {
  httpGet?: { path: string; port: string };
}

export interface Container {
  image: string;
  ports?: { name: string; containerPort: number }[];
  envFrom?: { configMapRef?: Metadata; secretRef?: Metadata }[];
  env?: { name: string; value?: string; valueFrom?: { fieldRef?: { fieldPath: string } } }[];
  lifecycle?: { preStop?: { exec?: { command: string[] } } };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    privileged?: boolean;
    capabilities?: { drop?: string[] };
  };
  volumeMounts?: { name: string; mountPath: string }[];
}

export interface Service {
  kind: 'Service';
  metadata: Metadata;
  spec: {
    clusterIP?: string;
    publishNotReadyAddresses?: boolean;
    selector?: Labels;
    ports: { name: string; port: number; targetPort: string }[];
  };
}

interface ConfigMap {
  kind: 'ConfigMap';
  metadata: Metadata;
  data: Record<string, string>;
}

interface Secret {
  kind: 'Secret';
  metadata: Metadata;
  stringData: Record<string, string>;
}

interface Budget {
  kind: 'PodDisruptionBudget';
  metadata: Metadata;
  spec: { maxUnavailable?: unknown; selector?: { matchLabels: Labels } };
}

interface Ingress {
  kind: 'Ingress';
  metadata: Metadata & { annotations?: Labels };
  spec: {
    rules: {
      host: string;
      http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] };
    }[];
  };
}

interface Peers {
  podSelector?: { matchLabels: Labels };
  namespaceSelector?: { matchLabels: Labels };
  ipBlock?: { cidr: string; except?: string[] };
}

interface Policy {
  kind: 'NetworkPolicy';
  metadata: Metadata;
  spec: {
    podSelector: { matchLabels?: Labels };
    policyTypes: string[];
    ingress: { from?: Peers[]; ports?: { port: string | number }[] }[];
    egress: { to?: Peers[]; ports?: { port: string | number }[] }[];
  };
}

type Manifest = StatefulSet | Service | ConfigMap | Secret | Budget | Ingress | Policy;

/** The manifests, by kind. */
export interface Deployment {
  files: Files;
  kustomization: { resources: string[]; images: { name: string; newName: string; newTag: string }[] };
  set: StatefulSet;
  pod: Pod;
  container: Container;
  services: readonly Service[];
  settings: ConfigMap;
  secret: Secret;
  budget: Budget;
  ingress: Ingress;
  policy: Policy;
}

/** @throws Error if there is not one object of each kind */
export function readDeployment(files: Files): Deployment {
  const { 'kustomization.yaml': kustomization = '', ...rest } = files;
  const manifests: Manifest[] = Object.values(rest).flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS()),
  );
  const set = one(manifests, 'StatefulSet');
  const pod = set.spec.template.spec;
  const [container] = pod.containers;
  if (!container) throw new Error('the pods have no container');
  return {
    files,
    kustomization: parse(kustomization),
    ...{ set, pod, container },
    services: ofKind(manifests, 'Service'),
    settings: one(manifests, 'ConfigMap'),
    secret: one(manifests, 'Secret'),
    budget: one(manifests, 'PodDisruptionBudget'),
    ingress: one(manifests, 'Ingress'),
    policy: one(manifests, 'NetworkPolicy'),
  };
}

/** The variables of the first pod's container, as Kubernetes puts them together. */
export function environmentOf({ set, container, settings, secret }: Deployment): Record<string, string> {
  const sources = new Map([
    [`config ${settings.metadata.name}`, settings.data],
    [`secret ${secret.metadata.name}`, secret.stringData],
  ]);
  const environment: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    const source = configMapRef ? `config ${configMapRef.name}` : `secret ${secretRef?.name}`;
    Object.assign(environment, sources.get(source));
  }
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    environment[name] =
      valueFrom?.fieldRef?.fieldPath === 'metadata.name'
        ? `${set.metadata.name}-0`
        : value.replace(/\$\((\w+)\)/g, (whole, named: string) => environment[named] ?? whole);
  }
  return environment;
}

function ofKind<Kind extends Manifest['kind']>(
  manifests: readonly Manifest[],
  kind: Kind,
): Extract<Manifest, { kind: Kind }>[] {
  return manifests.filter(
    (manifest): manifest is Extract<Manifest, { kind: Kind }> => manifest.kind === kind,
  );
}

function one<Kind extends Manifest['kind']>(
  manifests: readonly Manifest[],
  kind: Kind,
): Extract<Manifest, { kind: Kind }> {
  const [found, ...more] = ofKind(manifests, kind);
  if (!found || more.length > 0) throw new Error(`there must be one ${kind}`);
  return found;
}

/** What the manifests are held against. */
export interface Image {
  /** The user that it runs as. */
  user: string;
  /** Paths that a probe may ask. */
  openPaths: ReadonlySet<string>;
}

type Check = (deployment: Deployment, image: Image) => string[];

const CHECKS: readonly Check[] = [
  kustomizationFaults,
  (deployment) => settingFaults(withoutSecrets(deployment)),
  (deployment) => missingVariables(environmentOf(deployment)),
  exampleFaults,
  addressFaults,
  serviceFaults,
  probeFaults,
  userFaults,
  folderFaults,
  disruptionFaults,
  ingressFaults,
  policyFaults,
];

/** Everything that is wrong with a folder of manifests. */
export async function kubernetesFaults(files: Files, image: Image): Promise<string[]> {
  const deployment = readDeployment(files);
  const faults = CHECKS.flatMap((check) => check(deployment, image));
  return [...faults, ...(await drainFaults(deployment))];
}

/** A fault, where something is not as it must be. */
function unless(right: boolean, fault: string): string[] {
  return right ? [] : [fault];
}

function kustomizationFaults({ files, kustomization, container }: Deployment): string[] {
  const { resources, images } = kustomization;
  return [
    ...resources.filter((name) => !files[name]).map((name) => `there is no ${name}`),
    ...unless(!resources.includes('secret.example.yaml'), 'an example is among the resources'),
    ...unless(
      images.some(({ name }) => name === container.image),
      `the image ${container.image} is not named`,
    ),
  ];
}

/** The variables without those of the example, which are no values. */
function withoutSecrets(deployment: Deployment): Record<string, string> {
  const secrets = Object.keys(deployment.secret.stringData ?? {});
  const entries = Object.entries(environmentOf(deployment));
  return Object.fromEntries(entries.filter(([name]) => !secrets.includes(name)));
}

/** Nobody may run with what stands in a public file: each value has to stop the start. */
function exampleFaults({ secret }: Deployment): string[] {
  return Object.entries(secret.stringData ?? {}).flatMap(([name, value]) =>
    unless(settingFaults({ [name]: value }).length > 0, `the example's ${name} can be used as it stands`),
  );
}

/** Nodes reach each other where they listen, by names that Kubernetes gives. */
function addressFaults(deployment: Deployment): string[] {
  const { set, container, services } = deployment;
  const environment = environmentOf(deployment);
  const url = new URL(environment.SWITCHBOARD_NODE_URL ?? 'http://nowhere');
  const nodes = services.find(({ metadata }) => metadata?.name === set.spec?.serviceName);
  const port = container.ports?.find(({ name }) => name === 'http')?.containerPort;
  return [
    ...unless(nodes?.spec?.clusterIP === 'None', `${set.spec?.serviceName} is no headless Service`),
    ...unless(nodes?.spec?.publishNotReadyAddresses === true, 'nodes that are not ready have no name'),
    ...unless(
      url.hostname === `${environment.SWITCHBOARD_NODE_NAME}.${set.spec?.serviceName}`,
      `${url.hostname} is no name of a node`,
    ),
    ...unless(
      environment.SWITCHBOARD_PORT === String(port),
      'the container has another port than the daemon',
    ),
    ...unless(url.port === String(port), 'the nodes are asked at another port than the daemon has'),
    ...unless(
      nodes?.spec?.ports?.[0]?.port === port,
      'the headless Service has another port than the daemon',
    ),
    ...unless(environment.SWITCHBOARD_HOST === '0.0.0.0', 'the daemon listens on no address of the pod'),
  ];
}

function serviceFaults({ set, pod, container, services }: Deployment): string[] {
  const labels = set.spec?.template.metadata?.labels ?? {};
  const ports = container.ports?.map(({ name }) => name);
  return [
    ...unless(fits(set.spec?.selector.matchLabels, labels), 'the StatefulSet does not select its own pods'),
    ...services.flatMap(({ metadata, spec }) => [
      ...unless(fits(spec?.selector, labels), `Service ${metadata?.name} does not select the pods`),
      ...unless(
        spec?.ports?.every(({ targetPort }) => ports?.includes(String(targetPort))) === true,
        `Service ${metadata?.name} leads to a port that the container does not name`,
      ),
    ]),
    // it would set SWITCHBOARD_PORT to an address
    ...unless(pod.enableServiceLinks === false, 'variables of Services mix with the settings'),
  ];
}

function probeFaults({ container }: Deployment, { openPaths }: Image): string[] {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const paths = [
    ['startupProbe', startupProbe, '/health/live'],
    ['livenessProbe', livenessProbe, '/health/live'],
    ['readinessProbe', readinessProbe, '/health/ready'],
  ] as const;
  return paths.flatMap(([name, probe, path]) => [
    ...unless(probe?.httpGet?.path === path && openPaths.has(path), `${name} does not ask ${path}`),
    ...unless(hasPort(container, probe), `${name} asks a port that the container does not name`),
  ]);
}

function hasPort({ ports }: Deployment['container'], probe: Probe | undefined): boolean {
  return ports?.some(({ name }) => name === probe?.httpGet?.port) === true;
}

/** Before a node stops it gives its sessions away, and has time enough for that. */
async function drainFaults({ pod, container }: Deployment): Promise<string[]> {
  const [shell, option, script = ''] = container.lifecycle?.preStop?.exec?.command ?? [];
  const [, command, pause] = /^switchboard (.*); sleep (\d+)$/.exec(script) ?? [];
  if (shell !== '/bin/sh' || option !== '-c' || !command) return ['preStop runs no command of switchboard'];
  const words = command.split(' ').map((word) => word.replace(/^"(.*)"$/, '$1'));
  const seconds = Number(words[words.indexOf('--timeout') + 1]) + Number(pause);
  const needed = seconds + (LIMITS.handOverMs + 2 * LIMITS.stopGraceMs) / 1_000;
  return [
    ...(await commandFaults(words)),
    ...unless(words.includes('$SWITCHBOARD_NODE_NAME') && words.includes('--wait'), 'preStop does not drain'),
    ...unless(
      (pod.terminationGracePeriodSeconds ?? 30) >= needed,
      `a node that stops needs ${needed} s and is killed earlier`,
    ),
  ];
}

function userFaults({ pod, container }: Deployment, { user }: Image): string[] {
  const { runAsNonRoot, runAsUser, runAsGroup } = pod.securityContext ?? {};
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities, privileged } =
    container.securityContext ?? {};
  return [
    ...unless(runAsNonRoot === true, 'the pods may run as root'),
    ...unless(`${runAsUser}:${runAsGroup}` === user, `the pods do not run as the image's user ${user}`),
    ...unless(allowPrivilegeEscalation === false && !privileged, 'the container may gain rights'),
    ...unless(readOnlyRootFilesystem === true, 'the container may change its own files'),
    ...unless(capabilities?.drop?.includes('ALL') === true, 'the container has capabilities'),
  ];
}

/** With a read-only root everything that is written to has to be a volume. */
function folderFaults(deployment: Deployment): string[] {
  const { pod, container } = deployment;
  const folders = ['/tmp', environmentOf(deployment).SWITCHBOARD_DATA_DIR];
  const volumes = pod.volumes?.map(({ name }) => name);
  return folders.flatMap((folder) => {
    const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === folder);
    return unless(mount !== undefined && volumes?.includes(mount.name) === true, `${folder} is no volume`);
  });
}

/** Never so many at once that nobody is left, and never so few that a machine cannot be emptied. */
function disruptionFaults({ set, budget }: Deployment): string[] {
  const replicas = set.spec?.replicas ?? 1;
  const { maxUnavailable, selector } = budget.spec ?? {};
  return [
    ...unless(replicas >= 2, 'one node has nobody to give its sessions to'),
    ...unless(
      typeof maxUnavailable === 'number' && maxUnavailable >= 1 && maxUnavailable < replicas,
      `of ${replicas} nodes ${maxUnavailable} may be away`,
    ),
    ...unless(
      fits(selector?.matchLabels, set.spec?.template.metadata?.labels),
      'the PodDisruptionBudget does not select the pods',
    ),
  ];
}

function ingressFaults({ ingress, services, settings }: Deployment): string[] {
  const rules = ingress.spec?.rules ?? [];
  const backends = rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend.service) ?? []);
  const annotations = ingress.metadata?.annotations ?? {};
  const megabytes = Number(
    /^(\d+)m$/.exec(annotations['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '')?.[1],
  );
  const publicHost = new URL(settings.data?.SWITCHBOARD_PUBLIC_URL ?? 'http://nowhere').hostname;
  return [
    ...backends.flatMap((backend) => {
      const service = services.find(({ metadata }) => metadata?.name === backend?.name);
      const ports = service?.spec?.ports?.map(({ name }) => name);
      return unless(ports?.includes(backend?.port?.name) === true, 'the Ingress leads to no Service');
    }),
    ...unless(megabytes * 1024 * 1024 > LIMITS.uploadBytes, 'the Ingress refuses uploads that a node takes'),
    ...unless(
      rules.every(({ host }) => host === publicHost),
      `links to files name ${publicHost}, and the Ingress another host`,
    ),
  ];
}

/** Only named callers reach the nodes; the nodes reach each other, and no private address but those that are named. */
function policyFaults({ set, container, policy, kustomization }: Deployment): string[] {
  const { podSelector, policyTypes, ingress, egress } = policy.spec;
  const labels = set.spec.template.metadata.labels;
  const ports = container.ports?.map(({ name }) => name);
  const isNodes = ({ podSelector: pods }: Peers) => fits(pods?.matchLabels, labels);
  const everywhere = egress
    .flatMap(({ to = [] }) => to)
    .filter(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0');
  return [
    ...unless(kustomization.resources.includes('network.yaml'), 'the NetworkPolicy is not applied'),
    ...unless(fits(podSelector.matchLabels, labels), 'the NetworkPolicy does not select the pods'),
    ...unless(
      policyTypes.includes('Ingress') && policyTypes.includes('Egress'),
      'the NetworkPolicy leaves one direction open',
    ),
    ...unless(
      ingress.every(({ from = [] }) => from.length > 0),
      'everybody may call a node',
    ),
    ...unless(
      ingress.every((rule) => rule.ports?.every(({ port }) => ports?.includes(String(port)))),
      'the NetworkPolicy opens a port that the container does not name',
    ),
    ...unless(
      ingress.some(({ from = [] }) => from.some(isNodes)) && egress.some(({ to = [] }) => to.some(isNodes)),
      'the nodes do not reach each other',
    ),
    ...unless(
      everywhere.every(({ ipBlock }) => PRIVATE.every((range) => ipBlock?.except?.includes(range))),
      'a node reaches private addresses',
    ),
  ];
}

/** Ranges where nothing but what is named may be called, above all the metadata services of clouds. */
const PRIVATE = ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16', '168.63.129.16/32'];

function fits(
  selector: Record<string, string> | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([name, value]) => labels?.[name] === value);
}
