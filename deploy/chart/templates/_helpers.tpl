{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Refuses values that would start and then lose requests or documents. */}}
{{- define "gateway.check" -}}
{{- $config := .Values.config }}
{{- if and (gt (int .Values.replicas) 1) (not (dig "wamp" "url" "" $config)) }}
{{- fail "replicas: more than one needs config.wamp.url, the router that the gateways share" }}
{{- end }}
{{- if and (dig "wamp" "url" "" $config) (not (dig "cluster" "key" "" $config)) }}
{{- fail "config.cluster.key: needed with config.wamp.url, and the same for all gateways on that router" }}
{{- end }}
{{- $drain := add (dig "gateway" "drain_delay" 0 $config) (dig "gateway" "drain_timeout" 30000 $config) 15000 }}
{{- if lt (mul 1000 (int .Values.terminationGracePeriodSeconds)) $drain }}
{{- fail (printf "terminationGracePeriodSeconds: at least %d, which are config.gateway.drain_delay, drain_timeout and 15 seconds" (div (add $drain 999) 1000)) }}
{{- end }}
{{- if not (has .Values.store.kind (list "sqlite" "postgresql")) }}
{{- fail "store.kind: sqlite or postgresql" }}
{{- end }}
{{- if and (eq .Values.store.kind "postgresql") (not .Values.store.urlSecret.name) }}
{{- fail "store.urlSecret.name: needed with store.kind postgresql" }}
{{- end }}
{{- end }}

{{/* gateway.yaml */}}
{{- define "gateway.config" -}}
{{- $listeners := dict "gateway" (dict "listen" "0.0.0.0:8080") "health" (dict "listen" "0.0.0.0:8082") "data_dir" "/data" }}
{{- $config := mergeOverwrite (deepCopy .Values.config) $listeners }}
{{- if .Values.specs }}{{ $_ := set $config "specs" (list "/etc/wamp-gateway/specs/*.json") }}{{ end }}
{{- if .Values.realms }}{{ $_ := set $config "realms" (list "/etc/wamp-gateway/realms/*.json") }}{{ end }}
{{- toYaml $config }}
{{- end }}
